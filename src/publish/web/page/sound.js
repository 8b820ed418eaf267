// The alert tone, generated here: no file is loaded.

let context = null;
let wanted = localStorage.getItem("sound") === "on";
const heard = new Set();

/** Calls this whenever the sound goes on or off. */
export const onChange = (act) => heard.add(act);
const tell = () => heard.forEach((act) => act());

/** `on`, `off`, or `blocked`: it is wanted, and the browser waits for a key or a click first. */
export function state() {
  if (!wanted) return "off";
  return context?.state === "running" ? "on" : "blocked";
}

async function wake() {
  context ??= new AudioContext();
  context.onstatechange = tell;
  if (context.state !== "running") await context.resume();
}

/** Switches it on or off; called by a click, which is when browsers allow it. */
export async function toggle() {
  wanted = state() !== "on";
  localStorage.setItem("sound", wanted ? "on" : "off");
  tell();
  if (wanted) {
    await wake();
    tell();
    tone("notice");
  }
}

// Any key or click enables the sound, if it was enabled last time.
for (const event of ["pointerdown", "keydown"]) {
  window.addEventListener(event, () => wanted && state() === "blocked" && wake().then(tell, () => {}), { capture: true });
}

/** Two high tones for an alert, a low one for a notice. */
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
