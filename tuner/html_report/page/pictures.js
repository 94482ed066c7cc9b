"use strict";

// Charts as PNG files.
const Pictures = {
  // A button that saves the picture that `paint` returns.
  button(title, paint) {
    return button("Save as PNG", () => Pictures.save(title, paint()), { class: "quiet", "aria-label": `Save as PNG: ${title}` });
  },

  // A copy of a canvas on the colour of its card, with a heading above it.
  of(canvas, heading) {
    const scale = canvas.width / canvas.clientWidth;
    const room = 34 * scale;
    const copy = element("canvas", { width: canvas.width, height: canvas.height + room });
    const ctx = copy.getContext("2d");
    ctx.fillStyle = Theme.colour("card");
    ctx.fillRect(0, 0, copy.width, copy.height);
    ctx.drawImage(canvas, 0, room);
    ctx.fillStyle = Theme.colour("text");
    ctx.textBaseline = "middle";
    let size = 14 * scale;
    do {
      ctx.font = `${size}px system-ui, sans-serif`;
      size *= 0.95;
    } while (ctx.measureText(heading).width > copy.width - 16 * scale && size > 6 * scale);
    ctx.fillText(heading, 8 * scale, room / 2);
    return copy;
  },

  save(title, canvas) {
    const name = title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    element("a", { href: canvas.toDataURL("image/png"), download: `${name || "chart"}.png` }).click();
    speak(`${title} is saved.`);
  },
};
