import { limits } from '@thaw/contract/limits';
import { expectAccessible } from './support/accessibility.ts';
import { expect, createZeroFile, type Person, test } from './support/test.ts';

/** A PNG of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const photo = { name: 'dot.png', mimeType: 'image/png', buffer: png };

const chooseFile = (person: Person, file: typeof photo | string): Promise<void> =>
  person.page.locator('input[type=file]').setInputFiles(file);

/** Chooses a photo, and waits until the composer shows it. */
const attachPhoto = async (person: Person): Promise<void> => {
  await chooseFile(person, photo);
  await expect(person.button('Remove photo')).toBeVisible();
};

const sendPhotoWithoutCaption = async (person: Person): Promise<void> => {
  await attachPhoto(person);
  await person.button('Send').click();
};

/** Pastes or drops a photo into the message field. */
const transferPhoto = (person: Person, kind: 'paste' | 'drop'): Promise<void> =>
  person.field.evaluate(
    (field, [eventType, base64]) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'dot.png', { type: 'image/png' }));
      field.dispatchEvent(
        eventType === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    },
    [kind, png.toString('base64')] as const,
  );

test('a chosen photo can be removed from the composer, and chosen again', async ({ pair }) => {
  const [ada] = await pair();
  await attachPhoto(ada);
  await ada.button('Remove photo').click();
  await expect(ada.button('Remove photo')).toBeHidden();
  await expect(ada.button('Send')).toBeDisabled();
  await attachPhoto(ada);
});

test('a photo is sent with the text of the composer as its caption', async ({ pair }) => {
  const [ada, bob] = await pair();
  await attachPhoto(ada);
  await expectAccessible(ada.page, 'a photo about to be sent', { within: 'main' });
  await ada.sendMessage('look at this');
  await expect(ada.button('Remove photo')).toBeHidden();
  await expect(ada.field).toHaveValue('');
  await expect(ada.message('look at this')).toContainText('Sent');
  await expect(ada.button('Open: Your photo')).toBeVisible();
  await expect(bob.button(`Show photo from ${ada.name}`)).toBeVisible();
  // The content of the message marks the photo with `[IMAGE:url]`, which is not shown as text.
  await expect(bob.message('look at this')).not.toContainText('IMAGE');
});

test("a stranger's photo is blurred until it is revealed, and then opens in a lightbox", async ({ pair }) => {
  const [ada, bob] = await pair();
  await sendPhotoWithoutCaption(ada);
  const showPhoto = bob.button(`Show photo from ${ada.name}`);
  await expect(showPhoto).toBeVisible();
  await expectAccessible(bob.page, 'a hidden photo', { within: 'main' });
  await showPhoto.click();
  const openPhoto = bob.button(`Open: Photo from ${ada.name}`);
  await openPhoto.click();
  const lightbox = bob.page.getByRole('dialog', { name: `Photo from ${ada.name}` });
  await expect(lightbox.getByRole('img')).toBeVisible();
  await expectAccessible(bob.page, 'lightbox', { within: '[role="dialog"]' });
  await bob.page.keyboard.press('Escape');
  await expect(lightbox).toBeHidden();
  await expect(openPhoto).toBeFocused();
  // Outside the lightbox, Escape asks whether to skip the chat.
  await expect(bob.page.getByText('Skip this chat?')).toBeHidden();
});

test('the quote of a photo without a caption contains the word Photo', async ({ pair }) => {
  const [ada, bob] = await pair();
  await sendPhotoWithoutCaption(bob);
  const message = ada.messages.filter({ has: ada.button(`Show photo from ${bob.name}`) });
  await message.hover();
  await message.getByRole('button', { name: 'Reply' }).click();
  await ada.sendMessage('What a dot');
  await expect(
    bob.message('What a dot').getByRole('button', { name: 'In reply to You Photo' }),
  ).toBeVisible();
});

test("after a reload, a stranger's photo is blurred again, and one's own photo is not", async ({ pair }) => {
  const [ada, bob] = await pair();
  await sendPhotoWithoutCaption(ada);
  const showPhoto = bob.button(`Show photo from ${ada.name}`);
  await showPhoto.click();
  await expect(showPhoto).toBeHidden();
  await sendPhotoWithoutCaption(bob);
  await expect(ada.button(`Show photo from ${bob.name}`)).toBeVisible();
  await bob.page.reload();
  await expect(showPhoto).toBeVisible();
  await expect(bob.button('Open: Your photo')).toBeVisible();
  // The welcome notice and the two messages.
  await expect(bob.messages).toHaveCount(3);
});

test('a file that is too large or no image is rejected, and the text stays in the composer', async ({
  pair,
}) => {
  const [ada] = await pair();
  await ada.field.fill('my words');
  await chooseFile(ada, createZeroFile('huge.png', limits.imageMaxBytes + 1));
  await chooseFile(ada, { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await expect(ada.button('Remove photo')).toBeHidden();
  await expect(ada.field).toHaveValue('my words');
});

test.describe('a failed upload', () => {
  test.use({ expectedErrors: [/status of 503/] });

  test('sends no message, and its text and photo return to the composer', async ({ pair }) => {
    const [ada, bob] = await pair();
    await ada.field.fill('my words');
    await ada.page.route('**/api/upload', (route) => route.fulfill({ status: 503, json: {} }));
    await attachPhoto(ada);
    const failedUpload = ada.page.waitForResponse('**/api/upload');
    await ada.field.press('Enter');
    await failedUpload;
    // Only the welcome notice.
    await expect(ada.messages).toHaveCount(1);
    await expect(ada.button('Remove photo')).toBeVisible();
    await expect(ada.field).toHaveValue('my words');

    await ada.button('Remove photo').click();
    await ada.page.unroute('**/api/upload');
    await attachPhoto(ada);
    await ada.field.press('Enter');
    await expect(bob.message('my words')).toBeVisible();
    await expect(bob.button(`Show photo from ${ada.name}`)).toBeVisible();
  });
});

for (const kind of ['paste', 'drop'] as const) {
  test(`a ${kind} adds a photo to the text in the composer`, async ({ pair }) => {
    const [ada, bob] = await pair();
    await ada.field.fill('my words');
    await transferPhoto(ada, kind);
    await expect(ada.button('Remove photo')).toBeVisible();
    await ada.field.press('Enter');
    await expect(bob.message('my words')).toBeVisible();
    await expect(bob.button(`Show photo from ${ada.name}`)).toBeVisible();
  });
}
