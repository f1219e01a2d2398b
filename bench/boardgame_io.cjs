// The peer of bench/server.py: a boardgame.io server that stores to files, and its own clients, in two processes.
//     node boardgame_io.cjs MATCHES LISTENERS SECONDS      prints JSON: moves a second, and percentiles in milliseconds
// A move counts when every client of its match has the state that the server sent after it.

const { fork } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const seats = Number(process.env.SEATS || process.argv[3] || 4);
const Steps = {
  name: "steps",
  setup: () => ({ n: 0, last: [] }),
  moves: { step: ({ G }, text) => ({ n: G.n + 1, last: [...G.last.slice(-20), text] }) },
  turn: { minMoves: 1, maxMoves: 1 },
  minPlayers: seats,
  maxPlayers: seats,
};

async function serve() {
  const { Server, FlatFile } = require("boardgame.io/server");
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "bgio-"));
  const server = Server({ games: [Steps], db: new FlatFile({ dir }), origins: ["*"] });
  const quiet = console.log;
  console.log = console.info = () => {};
  const { appServer } = await server.run({ port: 0 });
  console.log = quiet;
  process.send({ port: appServer.address().port });
  process.on("exit", () => fs.rmSync(dir, { recursive: true, force: true }));
}

async function load(port, matches, seconds) {
  const { Client } = require("boardgame.io/client");
  const { SocketIO } = require("boardgame.io/multiplayer");
  const latencies = [];
  const games = [];
  for (let match = 0; match < matches; match++) {
    const clients = [];
    for (let seat = 0; seat < seats; seat++) {
      const client = Client({
        game: Steps, numPlayers: seats, matchID: `m${match}`, playerID: String(seat), debug: false,
        multiplayer: SocketIO({ server: `http://127.0.0.1:${port}`, socketOpts: { transports: ["websocket"] } }),
      });
      client.start();
      clients.push(client);
    }
    games.push(clients);
  }
  const whole = (client, n) => { const s = client.getState(); return s && s.isConnected && s.G.n >= n; };
  const until = async (is) => { while (!is()) await new Promise((wake) => setTimeout(wake, 20)); };
  await until(() => games.every((clients) => clients.every((client) => whole(client, 0))));
  const end = performance.now() + 1000 * seconds;
  let moves = 0;
  const play = async (clients) => {
    let n = 0;
    while (performance.now() < end) {
      n++;
      const mover = clients[(n - 1) % seats];
      const others = clients.filter((client) => client !== mover);
      const start = performance.now();
      const told = Promise.all(others.map((client) => new Promise((done) => {
        const stop = client.subscribe((state) => { if (state && state.G.n >= n) { stop && stop(); done(); } });
      })));
      mover.moves.step(`move ${n}`);
      await told;
      latencies.push(performance.now() - start);
      moves++;
    }
  };
  const start = performance.now();
  await Promise.all(games.map(play));
  const spent = (performance.now() - start) / 1000;
  latencies.sort((a, b) => a - b);
  const p = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  return { moves_a_second: moves / spent, p50: p(0.5), p95: p(0.95), p99: p(0.99) };
}

if (process.argv[2] === "serve") serve();
else {
  const [matches, , seconds] = process.argv.slice(2).map(Number);
  const child = fork(__filename, ["serve", String(seats)], { env: { ...process.env, SEATS: String(seats) }, stdio: ["ignore", "ignore", "inherit", "ipc"] });
  child.on("message", async ({ port }) => {
    console.log(JSON.stringify(await load(port, matches, seconds)));
    child.kill();
    process.exit(0);
  });
}
