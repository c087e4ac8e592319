// Pictures of the canvas beside stored ones (tests/pictures). CUTIS_STORE_PICTURES=1 stores them anew: look at them then.
import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const folder = fileURLToPath(new URL('./pictures', import.meta.url));
// What other processors may draw otherwise: of 255 in a channel, and of the pixels.
const kChannel = 24, kPixels = 0.01;

/** The canvas alone: letters are another's. */
const draw = (page) => page.evaluate(() => {
  window.cutis.stage.draw(true);
  return window.cutis.stage.canvas.toDataURL('image/png');
});

/** Share of the pixels that differ. */
async function difference(browser, a, b) {
  const page = await browser.newPage();
  try {
    return await page.evaluate(async ([urls, channel]) => {
      const [x, y] = await Promise.all(urls.map(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      }));
      if (x.width !== y.width || x.height !== y.height) return 1;
      let differ = 0;
      for (let i = 0; i < x.data.length; i += 4)
        if ([0, 1, 2].some((k) => Math.abs(x.data[i + k] - y.data[i + k]) > channel)) ++differ;
      return differ / (x.data.length / 4);
    }, [[a, b], kChannel]);
  } finally {
    await page.close();
  }
}

export async function looksAsStored(page, name, t) {
  const file = join(folder, `${name}.png`), url = await draw(page);
  if (process.env.CUTIS_STORE_PICTURES) {
    mkdirSync(folder, {recursive: true});
    writeFileSync(file, Buffer.from(url.split(',')[1], 'base64'));
  }
  assert.ok(existsSync(file), `${file} is not there; CUTIS_STORE_PICTURES=1 stores it`);
  const share = await difference(page.context().browser(), url, `data:image/png;base64,${readFileSync(file).toString('base64')}`);
  t.diagnostic(`${name}: ${(100 * share).toFixed(2)}% of the pixels differ`);
  if (share > kPixels && process.env.CUTIS_PICTURES) writeFileSync(join(process.env.CUTIS_PICTURES, `${name}_differs.png`), Buffer.from(url.split(',')[1], 'base64'));
  assert.ok(share <= kPixels, `${name}: ${(100 * share).toFixed(1)}% of the pixels differ from ${file}`);
}
