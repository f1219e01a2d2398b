// How well each text of the picture stands out from what is around it on a photograph of the page.
async (photograph) => {
  const image = new Image();
  image.src = `data:image/png;base64,${photograph}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  const paper = canvas.getContext("2d", { willReadFrequently: true });
  paper.drawImage(image, 0, 0);
  const linear = (part) => (part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const between = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  // The commonest colour in a box that is not the text's own.
  const ground = ({ x, y, width, height }, ink) => {
    const { data } = paper.getImageData(x, y, Math.max(1, width), Math.max(1, height));
    const counts = new Map();
    for (let at = 0; at < data.length; at += 4) {
      const colour = [data[at], data[at + 1], data[at + 2]].map((part) => part & 0xf8);
      if (Math.max(...colour.map((part, n) => Math.abs(part - ink[n]))) > 12) counts.set(colour.join(), (counts.get(colour.join()) || 0) + 1);
    }
    const most = [...counts].sort((a, b) => b[1] - a[1])[0];
    return most ? most[0].split(",").map(Number) : ink;
  };
  // Whether a text of the board itself lies under a piece: then it is the piece that is looked at.
  const pieces = [...document.querySelectorAll(".piece > use")].map((use) => use.getBoundingClientRect());
  const isCovered = (text, { left, top, width, height }) => {
    const [x, y] = [left + width / 2, top + height / 2];
    return !text.closest(".piece") && pieces.some((box) => x > box.left && x < box.right && y > box.top && y < box.bottom);
  };
  const found = [];
  for (const text of document.querySelectorAll(".region svg text")) {
    const box = text.getBoundingClientRect();
    if (!text.textContent.trim() || !box.width || box.bottom > innerHeight || box.right > innerWidth || box.top < 0 || isCovered(text, box)) continue;
    const style = getComputedStyle(text);
    const ink = style.fill.match(/[0-9.]+/g).slice(0, 3).map(Number);
    const { a, b } = text.getScreenCTM();
    const size = parseFloat(style.fontSize) * Math.hypot(a, b);
    const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
    const under = ground(box, ink);
    found.push({ text: text.textContent, size: Math.round(size), large, ink: ink.join(), under: under.join(), contrast: Math.round(between(ink, under) * 10) / 10 });
  }
  return found;
}
