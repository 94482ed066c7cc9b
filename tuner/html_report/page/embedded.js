"use strict";

// Data in the page itself: gzipped and in base64, in script elements that the browser does not run.
const Embedded = {
  tooOld: "This browser is too old to unpack the report. Use Chromium 111, Firefox 113, Safari 16.4, or newer.",

  isReadable() {
    return "DecompressionStream" in window;
  },

  bytes(id) {
    const text = document.getElementById(id).textContent;
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const letters = atob(text);
    const packed = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; ++i) packed[i] = letters.charCodeAt(i);
    return packed;
  },

  // The unpacked data of an element, as a Response.
  unpacked(id) {
    return new Response(new Blob([Embedded.bytes(id)]).stream().pipeThrough(new DecompressionStream("gzip")));
  },
};
