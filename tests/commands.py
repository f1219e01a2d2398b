"""Runs commands in forks of one process that has loaded all modules and kernels, because a fresh start takes longer.

Run as a script it reads requests, one line of JSON each, and answers with the exit code of the command. Real starts are
tested with pseudo-terminals, and with the wheel.
"""

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import backroom
import backroom.__main__
import backroom.terminal.play
import backroom.terminal.watch
from backroom.arena.warm import touch_all
from backroom.bots import DEFAULT, bot
from backroom.engine.kernel import mark

LONGEST = 300
"""The longest time of a command, in seconds."""


class Commands:
    """Runs commands: returns the exit code, standard output and standard error."""

    def __init__(self, environment):
        self.process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def run(self, arguments, typed, environment):
        with tempfile.TemporaryDirectory() as folder:
            files = [str(Path(folder, name)) for name in ("in", "out", "err")]
            Path(files[0]).write_text(typed, encoding="utf-8")
            request = {"arguments": arguments, "files": files, "environment": environment, "folder": str(Path.cwd())}
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            code = int(self.process.stdout.readline())
            return code, *(Path(name).read_text(encoding="utf-8") for name in files[1:])

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


def become(arguments, files, environment, folder):
    """In a fork: take the place of `python -m backroom`, and end with its exit code."""
    for n, name in enumerate(files):
        file = os.open(name, os.O_RDWR | os.O_CREAT)
        os.dup2(file, n)
        os.close(file)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", closefd=False)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    signal.alarm(LONGEST)
    sys.argv = ["backroom", *arguments]
    code = 0
    try:
        backroom.__main__.main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # as the interpreter would end
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.stdout.flush()
    os._exit(code)


def read_rules(game):
    """Load every kernel that a table or its bots call, and the stamps of all kernels."""
    touch_all(game)
    table = game.table(seed=0)
    bot(DEFAULT, game).answer(table.view(table.asked[0]), table.asked[0], 0)
    mark("said")


def main():
    for name in backroom.names():
        read_rules(backroom.game(name))
    gc.freeze()  # forks share the memory as long as nobody writes to it
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if not child:
            become(**request)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
