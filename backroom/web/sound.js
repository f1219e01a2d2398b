// Sounds made in the page: dice, cards, wood, and a bell for the player's turn. Off by default; the browser remembers.

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const KEY = "sound";
// Tones, one after the other: frequencies in hertz, seconds, volume; and knocks: start in seconds, length, the pitch of
// the noise in hertz, volume.
const TONES = { wood: [[180, 120], 0.06, 0.12], turn: [[660, 880], 0.35, 0.08], end: [[523, 659, 784], 0.6, 0.08] };
const KNOCKS = { dice: [[0, 0.07, 0.12, 0.2, 0.26, 0.36], 0.04, 2400, 0.25], card: [[0], 0.12, 3800, 0.12] };

export class Sound {
  constructor(button) {
    this.button = button;
    this.show(remembered() === "on");
    button?.addEventListener("click", () => {
      this.show(!this.isOn);
      try { localStorage.setItem(KEY, this.isOn ? "on" : "off"); } catch { /* private windows may keep nothing */ }
      this.play("turn");
    });
  }

  show(isOn) {
    this.isOn = isOn;
    this.button?.setAttribute("aria-pressed", String(isOn));
  }

  // The player's turn: a bell, and a vibration where possible.
  turn() {
    this.play("turn");
    if (this.isOn && !calm.matches) navigator.vibrate?.(60);
  }

  play(name) {
    if (!this.isOn || calm.matches) return;
    this.context ||= new AudioContext();
    if (TONES[name]) this.tones(...TONES[name], name === "wood" ? "triangle" : "sine");
    if (KNOCKS[name]) this.knocks(...KNOCKS[name]);
  }

  tones(pitches, length, volume, type) {
    pitches.forEach((frequency, n) => {
      const begin = this.context.currentTime + (n * length) / pitches.length / 2;
      this.sound(new OscillatorNode(this.context, { frequency, type }), begin, length, volume);
    });
  }

  knocks(begins, length, frequency, volume) {
    const buffer = new AudioBuffer({ length: Math.ceil(length * this.context.sampleRate), sampleRate: this.context.sampleRate });
    buffer.getChannelData(0).forEach((_, n, all) => { all[n] = 2 * Math.random() - 1; });
    for (const begin of begins) {
      const noise = new AudioBufferSourceNode(this.context, { buffer });
      const narrow = new BiquadFilterNode(this.context, { type: "bandpass", frequency, Q: 0.8 });
      this.sound(noise, this.context.currentTime + begin, length, volume, narrow);
    }
  }

  // Fade from full volume to nothing.
  sound(source, begin, length, volume, through = null) {
    const gain = new GainNode(this.context, { gain: 0 });
    gain.gain.setValueAtTime(volume, begin);
    gain.gain.exponentialRampToValueAtTime(0.001, begin + length);
    (through ? source.connect(through) : source).connect(gain).connect(this.context.destination);
    source.start(begin);
    source.stop(begin + length);
  }
}

function remembered() {
  try { return localStorage.getItem(KEY); } catch { return null; }
}
