// Shows an email that the console posts to this frame. The frame does not fetch it itself: its sandboxed origin has no
// session, which also keeps anything in an email from reaching the console.
"use strict";
const sheet = document.documentElement;
addEventListener("message", (event) => {
  if (event.source === parent && typeof event.data === "string") sheet.innerHTML = event.data;
});
// On a phone the frame is as high as its email. The height is no secret, so any origin may receive it. A page that is
// opened outside the console is its own parent and receives it itself.
new ResizeObserver(() => parent.postMessage(sheet.offsetHeight, "*")).observe(sheet);
