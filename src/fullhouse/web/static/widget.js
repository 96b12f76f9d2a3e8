// An event's box office in any site: <script src="https://…/widget.js" data-org="…" data-show="…" async></script>
// Inserts a frame after the script, and resizes it to the height of its content.
"use strict";
(() => {
  const script = document.currentScript;
  const { org, show, lang, title } = script.dataset;
  if (!org || !show) return console.error("fullhouse: the script needs data-org and data-show.");
  const { origin } = new URL(script.src);
  const frame = document.createElement("iframe");
  frame.src = `${origin}/embed/${encodeURIComponent(org)}/${encodeURIComponent(show)}${lang ? `?lang=${encodeURIComponent(lang)}` : ""}`;
  frame.title = title || "Tickets";
  frame.allow = "payment";
  frame.loading = "lazy";
  Object.assign(frame.style, { display: "block", width: "100%", height: "720px", border: "0", colorScheme: "light dark" });
  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow || event.origin !== origin) return; // not from our frame
    const height = event.data?.fullhouse === "size" ? Number(event.data.height) : NaN;
    if (height > 0) frame.style.height = `${Math.min(Math.ceil(height), 6000)}px`;
  });
  script.after(frame);
})();
