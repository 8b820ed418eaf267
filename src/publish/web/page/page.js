const show = async () => {
  const state = await (await fetch("/api/state")).json();
  document.getElementById("state").textContent = JSON.stringify(state, null, 2);
};
const events = new EventSource("/api/events");
for (const name of ["card", "gone", "trouble", "round"]) events.addEventListener(name, show);
show();
