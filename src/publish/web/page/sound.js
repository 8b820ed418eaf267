// The alert tone, generated here: no file is loaded.

let context = null;
let enabled = localStorage.getItem("sound") === "on";
const listeners = new Set();

/** Registers a function that is called whenever the sound is switched on or off. */
export const onChange = (listener) => listeners.add(listener);
const notify = () => listeners.forEach((listener) => listener());

/** Returns `on`, `off`, or `blocked`: the sound is enabled, but the browser waits for a key or a click first. */
export function state() {
  if (!enabled) return "off";
  return context?.state === "running" ? "on" : "blocked";
}

async function resume() {
  context ??= new AudioContext();
  context.onstatechange = notify;
  if (context.state !== "running") await context.resume();
}

/** Switches the sound on or off. Call it from a click, because browsers allow sound only then. */
export async function toggle() {
  enabled = state() !== "on";
  localStorage.setItem("sound", enabled ? "on" : "off");
  notify();
  if (enabled) {
    await resume();
    notify();
    tone("notice");
  }
}

// Any key or click enables the sound, if it was enabled last time.
for (const event of ["pointerdown", "keydown"]) {
  window.addEventListener(event, () => enabled && state() === "blocked" && resume().then(notify, () => {}), { capture: true });
}

/** Plays three high tones for an alert, one low tone for a notice. */
export function tone(kind) {
  if (state() !== "on") return;
  const notes = kind === "alert" ? [[880, 0], [1175, 0.18], [880, 0.36]] : [[523, 0]];
  for (const [pitch, after] of notes) {
    const at = context.currentTime + after;
    const [source, volume] = [context.createOscillator(), context.createGain()];
    source.frequency.value = pitch;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(kind === "alert" ? 0.3 : 0.12, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.16);
    source.connect(volume).connect(context.destination);
    source.start(at);
    source.stop(at + 0.18);
  }
}
