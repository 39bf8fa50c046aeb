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

test('a photo is sent with a caption, blurred for a stranger until revealed, opened in a lightbox, and quoted', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  await chooseFile(ada, photo);
  await expect(ada.button('Remove photo')).toBeVisible();
  await ada.button('Remove photo').click();
  await expect(ada.button('Remove photo')).toBeHidden();
  await expect(ada.button('Send')).toBeDisabled();

  await chooseFile(ada, photo);
  await expect(ada.button('Remove photo')).toBeVisible();
  await expectAccessible(ada.page, 'a photo about to be sent', { within: 'main' });
  await ada.sendMessage('look at this');
  await expect(ada.button('Remove photo')).toBeHidden();
  await expect(ada.field).toHaveValue('');
  await expect(ada.message('look at this')).toContainText('Sent');
  await expect(ada.button('Open: Your photo')).toBeVisible();

  // The photo is blurred and its button says so. `[IMAGE:url]`, the marker in the content, is not shown as text.
  const showPhoto = bob.button(`Show photo from ${ada.name}`);
  await expect(showPhoto).toBeVisible();
  await expect(bob.message('look at this')).not.toContainText('IMAGE');
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

  // The quote of a photo without a caption contains the word Photo.
  await chooseFile(bob, photo);
  await bob.button('Send').click();
  const photoOnly = ada.messages.filter({ has: ada.button(`Show photo from ${bob.name}`) });
  await photoOnly.hover();
  await photoOnly.getByRole('button', { name: 'Reply' }).click();
  await ada.sendMessage('What a dot');
  await expect(
    bob.message('What a dot').getByRole('button', { name: 'In reply to You Photo' }),
  ).toBeVisible();

  // After a reload the partner's photo is blurred again.
  await bob.page.reload();
  await expect(bob.button(`Show photo from ${ada.name}`)).toBeVisible();
  await expect(bob.button('Open: Your photo')).toBeVisible();
  // The rows of the list are the welcome notice and three messages.
  await expect(bob.messages).toHaveCount(4);
});

test.describe('a rejected file or failed upload', () => {
  test.use({ expectedErrors: [/status of 503/] });

  test('sends no message and keeps the text in the composer, to which a picture can then be pasted or dropped', async ({
    pair,
  }) => {
    const [ada, bob] = await pair();
    await ada.field.fill('my words');
    // A file that is too large, and one that is no image.
    await chooseFile(ada, createZeroFile('huge.png', limits.imageMaxBytes + 1));
    await chooseFile(ada, { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
    await expect(ada.button('Remove photo')).toBeHidden();
    await expect(ada.field).toHaveValue('my words');

    // A failed upload cancels the send: text and picture return to the composer.
    await ada.page.route('**/api/upload', (route) => route.fulfill({ status: 503, json: {} }));
    await chooseFile(ada, photo);
    const failedUpload = ada.page.waitForResponse('**/api/upload');
    await ada.field.press('Enter');
    await failedUpload;
    // Only the welcome notice.
    await expect(ada.messages).toHaveCount(1);
    await expect(ada.button('Remove photo')).toBeVisible();
    await expect(ada.field).toHaveValue('my words');
    await ada.button('Remove photo').click();
    await ada.page.unroute('**/api/upload');

    // Pasted and dropped pictures are accepted like chosen ones.
    for (const kind of ['paste', 'drop'] as const) {
      await ada.field.evaluate(
        (field, [type, base64]) => {
          const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
          const data = new DataTransfer();
          data.items.add(new File([bytes], 'dot.png', { type: 'image/png' }));
          field.dispatchEvent(
            type === 'paste'
              ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
              : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
          );
        },
        [kind, png.toString('base64')] as const,
      );
      await expect(ada.button('Remove photo')).toBeVisible();
      // The dropped picture is sent below.
      if (kind === 'paste') await ada.button('Remove photo').click();
    }
    await ada.field.press('Enter');
    await expect(bob.message('my words')).toBeVisible();
    await expect(bob.button(`Show photo from ${ada.name}`)).toBeVisible();
  });
});
