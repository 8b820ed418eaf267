// Writes flags.png, flags.css and flags.js (all flags in one small picture), and the style sheets of the pieces.
//
// Usage: node assets.mjs SOURCE TARGET; packages are those of the working directory.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const [source, target] = process.argv.slice(2);
const sharp = createRequire(`${process.cwd()}/`)("sharp");
const read = (path) => readFileSync(path, "utf8");
const version = (name) => JSON.parse(read(`node_modules/${name}/package.json`)).version;

// Flags: twice as large as they are shown, side by side.
const [WIDTH, HEIGHT, COLUMNS] = [40, 30, 16];
const federations = JSON.parse(read(`${source}/federations.json`));
const codes = Object.keys(federations);
const rows = Math.ceil(codes.length / COLUMNS);
const flags = await Promise.all(
  codes.map(async (code, index) => ({
    input: await sharp(`node_modules/flag-icons/flags/4x3/${federations[code]}.svg`).resize(WIDTH, HEIGHT).png().toBuffer(),
    left: (index % COLUMNS) * WIDTH,
    top: Math.floor(index / COLUMNS) * HEIGHT,
  })),
);
const background = { width: COLUMNS * WIDTH, height: rows * HEIGHT, channels: 3, background: "#fff" };
const sheet = await sharp({ create: background }).composite(flags).png().toBuffer();
await sharp(sheet).png({ palette: true, effort: 10 }).toFile(`${target}/flags.png`);

const origin = `flag-icons ${version("flag-icons")}, https://github.com/lipis/flag-icons, MIT; built by ./build`;
const share = (index, count) => `${Math.round((index / (count - 1)) * 100000) / 1000}%`;
const rules = codes.map((code, index) => {
  const place = `${share(index % COLUMNS, COLUMNS)} ${share(Math.floor(index / COLUMNS), rows)}`;
  return `.flag-${code} { background-position: ${place}; }\n`;
});
const sprite = `.flag { background-image: url("flags.png"); background-size: ${COLUMNS * 100}% ${rows * 100}%; }\n`;
writeFileSync(`${target}/flags.css`, `/* ${origin} */\n${sprite}${rules.join("")}`);
// What is part of a country is named by its code.
const countries = codes.map((code) => `  ${code}: "${/^[a-z]{2}$/.test(federations[code]) ? federations[code].toUpperCase() : ""}",\n`);
writeFileSync(
  `${target}/flags.js`,
  `// ${origin}\n\n/** The federations that have a flag in flags.css, with the codes of their countries (ISO 3166-1), if they are countries. */\nexport const FEDERATIONS = {\n${countries.join("")}};\n`,
);

// Pieces, by colour and letter: `.wn` is a white knight.
const LETTERS = { pawn: "p", knight: "n", bishop: "b", rook: "r", queen: "q", king: "k" };
const rule = (colour, letter, svg) => `.${colour}${letter} { background-image: url('data:image/svg+xml,${encode(svg)}'); }\n`;
const encode = (svg) => svg.trim().replace(/\s+/g, " ").replace(/[#%<>'{}|\\^`]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
const pieces = (name, note, list) => writeFileSync(`${target}/pieces-${name}.css`, `/* ${note} */\n${list.join("")}`);

const cburnett = [...read("node_modules/chessground/assets/chessground.cburnett.css").matchAll(/piece\.(\w+)\.(white|black) \{\s*background-image: url\('data:image\/svg\+xml;base64,([^']+)'\)/g)];
pieces(
  "cburnett",
  `Pieces by Colin M.L. Burnett, GPL-2.0-or-later, from chessground ${version("chessground")}; built by ./build`,
  cburnett.map(([, role, colour, data]) => rule(colour[0], LETTERS[role], Buffer.from(data, "base64").toString())),
);
pieces(
  "merida",
  "Pieces by Armando Hernandez Marroquin, from pychess 1.0.3, GPL-3.0-or-later; built by ./build",
  ["w", "b"].flatMap((colour) => Object.values(LETTERS).map((letter) => rule(colour, letter, read(`${source}/merida/${colour}${letter}.svg`)))),
);
