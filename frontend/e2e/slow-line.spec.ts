import { type Page } from '@playwright/test';
import { expect, test, type Person } from './support/test.ts';

/** Makes the browser delay requests and frames by 400 ms, and limits them to 50 kB/s in each direction. */
const slowDown = async (page: Page): Promise<void> => {
  const devtools = await page.context().newCDPSession(page);
  const bytesPerSecond = 50_000;
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
};

/** Creates a picture of noise, which cannot be compressed. Its upload takes about four seconds at 50 kB/s. */
const createNoisePicture = async (page: Page): Promise<Buffer> => {
  const base64 = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 256, height: 256 });
    const context = canvas.getContext('2d');
    const pixels = context?.createImageData(256, 256);
    if (!context || !pixels) throw new Error('No canvas');
    // Each pixel has a random red, green and blue byte, and an opaque fourth byte.
    pixels.data.forEach((_, index, data) => (data[index] = index % 4 === 3 ? 255 : Math.random() * 256));
    context.putImageData(pixels, 0, 0);
    return canvas.toDataURL('image/png').split(',')[1] ?? '';
  });
  return Buffer.from(base64, 'base64');
};

/**
 * Records which of the states 'sending' and 'sent' the page shows for the newest message that contains `text`.
 * @returns the states, in order and without repetitions; later changes are added to this array
 */
const recordStates = async ({ page }: Person, text: string): Promise<readonly string[]> => {
  const states: string[] = [];
  await page.exposeFunction('recordState', (state: string) => {
    // The page reports the state at each change of the message list.
    if (state !== states.at(-1)) states.push(state);
  });
  await page.getByRole('region', { name: 'Messages' }).evaluate((list, wanted) => {
    const { recordState } = window as unknown as { recordState: (state: string) => void };
    new MutationObserver(() => {
      const row = [...list.querySelectorAll('li')].findLast((item) => item.textContent.includes(wanted));
      if (row) recordState(row.textContent.includes('Sending') ? 'sending' : 'sent');
    }).observe(list, { subtree: true, childList: true, characterData: true });
  }, text);
  return states;
};

/** Reads the progress of the only upload. */
const readPercent = async ({ page }: Person): Promise<number> =>
  Number(await page.getByRole('progressbar', { name: 'Sending photo' }).getAttribute('value'));

test('on a slow connection messages arrive once and in order, and an upload shows its progress and can be cancelled', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  const picture = await createNoisePicture(ada.page);
  await slowDown(ada.page);
  const shownStates = await recordStates(ada, 'slow 3');
  for (const n of [1, 2, 3]) await ada.sendMessage(`slow ${n}`);
  const welcomeNotice = /now chatting/;
  await expect(bob.messages).toHaveText([welcomeNotice, /slow 1/, /slow 2/, /slow 3/]);
  await expect(ada.message('slow 3')).toContainText('Sent');
  expect(shownStates).toEqual(['sending', 'sent']);
  await expect(ada.messages).toHaveText([welcomeNotice, /slow 1/, /slow 2/, /slow 3/]);

  await ada.page
    .locator('input[type=file]')
    .setInputFiles({ name: 'noise.png', mimeType: 'image/png', buffer: picture });
  await ada.sendMessage('a large one');
  let firstPercent = 0;
  await expect.poll(async () => (firstPercent = await readPercent(ada))).toBeGreaterThan(0);
  await expect.poll(() => readPercent(ada)).toBeGreaterThan(firstPercent);
  await ada.button('Cancel').click();
  // Ada's page shows the welcome notice and the three messages, but not the cancelled one.
  await expect(ada.messages).toHaveCount(4);
  await expect(ada.field).toHaveValue('a large one');
  await ada.sendMessage('only words');
  await expect(bob.messages.last()).toContainText('only words');
  // The photo has not arrived either: Bob has the welcome notice and four messages.
  await expect(bob.messages).toHaveCount(5);
});
