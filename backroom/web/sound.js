// Sounds made in the page: wood, and a bell when it is one's turn. Off until somebody wants them, and remembered.

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const KEY = "sound";
// Of each sound: frequencies in hertz, seconds, loudness.
const SOUNDS = { move: [[180, 120], 0.06, 0.12], turn: [[660, 880], 0.35, 0.08], end: [[523, 659, 784], 0.6, 0.08] };

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

  // It is one's turn: a bell, and where there is one a little shake.
  turn() {
    this.play("turn");
    if (this.isOn && !calm.matches) navigator.vibrate?.(60);
  }

  play(name) {
    if (!this.isOn || calm.matches) return;
    const [pitches, length, volume] = SOUNDS[name];
    this.context ||= new AudioContext();
    const { currentTime, destination } = this.context;
    pitches.forEach((pitch, n) => {
      const begin = currentTime + (n * length) / pitches.length / 2;
      const tone = new OscillatorNode(this.context, { frequency: pitch, type: name === "move" ? "triangle" : "sine" });
      const gain = new GainNode(this.context, { gain: 0 });
      gain.gain.setValueAtTime(volume, begin);
      gain.gain.exponentialRampToValueAtTime(0.001, begin + length);
      tone.connect(gain).connect(destination);
      tone.start(begin);
      tone.stop(begin + length);
    });
  }
}

function remembered() {
  try { return localStorage.getItem(KEY); } catch { return null; }
}
