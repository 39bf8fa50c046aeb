import { type Page } from '@playwright/test';
import { Connection } from './support/connection.ts';
import { type PrivateChatUser, inPrivateChat, openChat, getPrivateChat } from './support/private-chat.ts';
import { expectAccessible } from './support/accessibility.ts';
import { expect, type Person, test } from './support/test.ts';

/** A PNG of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const photo = { name: 'dot.png', mimeType: 'image/png', buffer: png };

const attachPhoto = (person: Person): Promise<void> =>
  // If a private chat is open, its file input comes after that of the random chat.
  person.page.locator('input[type=file]').last().setInputFiles(photo);

const getUploadingRow = (person: Person) =>
  person.messages.filter({ has: person.page.getByRole('progressbar') });

/** Holds the uploads of a page. @returns a function that releases them */
const holdUploads = async (page: Page): Promise<() => void> => {
  let releaseUploads: () => void = () => undefined;
  const canContinue = new Promise<void>((resolve) => (releaseUploads = resolve));
  await page.route('**/api/upload', async (route) => {
    await canContinue;
    // `continue` throws if the page has cancelled the upload.
    await route.continue().catch(() => undefined);
  });
  return releaseUploads;
};

/**
 * Intercepts the connection of one page. Pass `prepare` in the options of the page's user, for example as
 * `pair({ prepare })` for the first user. Once the page is open, `getConnection` returns the connection.
 */
const createInterception = (): {
  getConnection: () => Connection;
  prepare: (page: Page) => Promise<void>;
} => {
  let connection: Connection | undefined;
  return {
    getConnection: () => {
      if (!connection) throw new Error('The page is not open yet');
      return connection;
    },
    prepare: async (page) => {
      connection = await Connection.intercept(page);
    },
  };
};

test.describe('a photo', () => {
  test('that uploads slowly leaves the composer free, and returns its caption when it is cancelled', async ({
    pair,
  }) => {
    const [ada, bob] = await pair();
    const releaseCancelledUpload = await holdUploads(ada.page);
    await attachPhoto(ada);
    await ada.sendMessage('not this one');
    await getUploadingRow(ada).getByRole('button', { name: 'Cancel' }).click();
    // Only the welcome notice remains.
    await expect(ada.messages).toHaveCount(1);
    await expect(ada.field).toHaveValue('not this one');
    releaseCancelledUpload();
    await ada.page.unroute('**/api/upload');

    const releaseUploads = await holdUploads(ada.page);
    await attachPhoto(ada);
    await ada.sendMessage('look at this');
    await expect(getUploadingRow(ada)).toContainText('look at this');
    await expect(ada.button('Cancel')).toBeVisible();
    await expectAccessible(ada.page, 'a photo being sent', { within: 'main' });
    await expect(ada.field).toHaveValue('');
    await ada.sendMessage('and meanwhile this');
    await expect(bob.message('and meanwhile this')).toBeVisible();
    releaseUploads();
    await expect(bob.message('look at this')).toBeVisible();
    await expect(getUploadingRow(ada)).toHaveCount(0);
    await expect(ada.message('look at this')).toHaveCount(1);
    await expect(bob.message('not this one')).toHaveCount(0);
  });

  test('is sent even if the private chat is closed during the upload', async ({ friendsInChat }) => {
    const [ada, bob] = (await friendsInChat()).map(inPrivateChat) as [PrivateChatUser, PrivateChatUser];
    await openChat(ada, bob);
    await openChat(bob, ada);
    const releaseUploads = await holdUploads(ada.page);
    await attachPhoto(ada);
    await ada.sendMessage('sent in passing');
    await expect(getUploadingRow(ada)).toHaveCount(1);
    await ada.button('Close private chat').click();
    await expect(getPrivateChat(ada)).toHaveCount(0);
    releaseUploads();
    await expect(bob.message('sent in passing')).toBeVisible();
    await openChat(ada, bob);
    await expect(ada.message('sent in passing')).toHaveCount(1);
  });

  test.describe('that fails', () => {
    test.use({ expectedErrors: [/status of 503/] });

    test('to upload while another message is written stays in the list with Retry and Remove', async ({
      pair,
    }) => {
      const [ada, bob] = await pair();
      let areUploadsFailing = true;
      await ada.page.route('**/api/upload', async (route) => {
        if (!areUploadsFailing) return route.continue();
        // The upload fails only once the composer is in use again.
        await expect(ada.field).toHaveValue('half a thought');
        await route.fulfill({ status: 503, json: {} });
      });
      await attachPhoto(ada);
      await ada.sendMessage('look at this');
      await ada.field.fill('half a thought');
      const row = ada.message('look at this');
      await expect(row).toContainText('Not delivered');
      await expectAccessible(ada.page, 'a photo that was not delivered', { within: 'main' });
      await expect(ada.field).toHaveValue('half a thought');
      areUploadsFailing = false;
      await row.getByRole('button', { name: 'Retry' }).click();
      await expect(bob.message('look at this')).toBeVisible();
      // A photo that was not delivered can also be removed.
      areUploadsFailing = true;
      await attachPhoto(ada);
      await ada.sendMessage('and this');
      await ada.field.fill('half a thought'); // lets the upload fail
      await ada.message('and this').getByRole('button', { name: 'Remove' }).click();
      await expect(ada.message('and this')).toHaveCount(0);
    });
  });

  test('wider than 2,048 px is scaled down to 2,048 px before the upload', async ({ pair }) => {
    const [ada, bob] = await pair();
    const bytesOfPicture = await ada.page.evaluate(async () => {
      const canvas = new OffscreenCanvas(4_096, 1_024);
      canvas.getContext('2d')?.fillRect(0, 0, 4_096, 512);
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
      return [...bytes];
    });
    await ada.page
      .locator('input[type=file]')
      .setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: Buffer.from(bytesOfPicture) });
    // A web worker scales the picture, which keeps the page responsive.
    const worker = ada.page.waitForEvent('worker');
    await ada.button('Send').click();
    expect((await worker).url()).toContain('scale-picture');
    await bob.button(`Show photo from ${ada.name}`).click();
    const receivedPicture = bob.button(`Open: Photo from ${ada.name}`).getByRole('img');
    await expect
      .poll(() => receivedPicture.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBe(2_048);
  });
});

test.describe('on an unreliable connection', () => {
  test('an edit that did not reach the server is sent again after the reconnect', async ({ pair }) => {
    const { getConnection, prepare } = createInterception();
    const [ada, bob] = await pair({ prepare });
    await ada.sendMessage('helo');
    await expect(bob.message('helo')).toBeVisible();
    // Only a message with an ack can be edited.
    await expect(ada.message('helo')).toContainText('Sent');
    getConnection().dropPageFrames(); // the edit does not reach the server
    // Arrow Up edits the last message.
    await ada.field.press('ArrowUp');
    await expect(ada.field).toHaveValue('helo');
    await ada.sendMessage('hello again');
    await getConnection().cut();
    await expect(ada.page.getByText('Disconnected', { exact: true })).toBeVisible();
    // Ada's page shows the edit already, Bob's does not.
    await expect(ada.message('hello again')).toBeVisible();
    await expect(bob.message('helo')).toBeVisible();
    getConnection().deliverPageFrames();
    getConnection().restore();
    await expect(bob.message('hello again')).toContainText('(edited)');
    await expect(ada.message('hello again')).toContainText('(edited)');
  });

  test('a message without an ack is delivered exactly once after a reconnect or a reload', async ({
    pair,
  }) => {
    const { getConnection, prepare } = createInterception();
    const [ada, bob] = await pair({ prepare });
    getConnection().dropPageFrames();
    await ada.sendMessage('is this on?');
    // While the message has no ack, the page pings the silent connection. No pong arrives, so the page reconnects.
    await expect(ada.page.getByText('Disconnected', { exact: true })).toBeVisible();
    getConnection().deliverPageFrames();
    await expect(bob.message('is this on?')).toHaveCount(1);
    await expect(ada.message('is this on?')).toContainText('Sent');
    await expect(ada.message('is this on?')).toHaveCount(1);

    getConnection().dropPageFrames();
    await ada.sendMessage('still here');
    await expect(ada.message('still here')).toContainText('Sending');
    getConnection().deliverPageFrames();
    await ada.page.reload();
    await expect(bob.message('still here')).toHaveCount(1);
    await expect(ada.message('still here')).toHaveCount(1);
  });
});

test('a reload keeps the text and reply of an unsent message, and asks to attach its photo again', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  await bob.sendMessage('what do you see?');
  await ada.message('what do you see?').hover();
  await ada.message('what do you see?').getByRole('button', { name: 'Reply', exact: true }).click();
  await ada.field.fill('a lake');
  await attachPhoto(ada);
  await expect(ada.button('Remove photo')).toBeVisible();
  await ada.page.reload();
  await expect(ada.field).toHaveValue('a lake');
  await expect(ada.page.getByText(`Replying to ${bob.name}`)).toBeVisible();
  await expect(ada.page.getByText('Your photo was not kept: please attach it again.')).toBeVisible();
  await ada.field.press('Enter');
  await expect(bob.message('a lake').getByRole('button', { name: 'In reply to You' })).toBeVisible();
  await expect(ada.page.getByText('Your photo was not kept')).toBeHidden();
});

test('on a desktop an opened chat focuses the message field, which receives all typed text, and Arrow Up edits a sent message', async ({
  friendsInChat,
}) => {
  const [ada, bob] = (await friendsInChat()).map(inPrivateChat) as [PrivateChatUser, PrivateChatUser];
  await openChat(ada, bob);
  await expect(ada.field).toBeFocused();
  await ada.page.keyboard.type('hello');
  await ada.page.keyboard.press('Enter');
  await expect(ada.message('hello')).toContainText('Sent');
  // Typing with the focus elsewhere on the page loses no character.
  await getPrivateChat(ada).getByRole('region', { name: 'Messages' }).focus();
  await ada.page.keyboard.type('and more');
  await expect(ada.field).toHaveValue('and more');
  await ada.field.fill('');
  await ada.page.keyboard.press('ArrowUp');
  await expect(ada.page.getByText('Editing your message')).toBeVisible();
  await expect(ada.field).toHaveValue('hello');
  await ada.sendMessage('hello there');
  await openChat(bob, ada);
  await expect(bob.message('hello there')).toContainText('(edited)');
});

test('a phone shows a button for line breaks, because Enter sends the message', async ({ pair }) => {
  const [ada, bob] = await pair({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await expect(ada.page.getByText('New line')).toBeHidden();
  await ada.field.tap();
  await ada.page.keyboard.type('one');
  await ada.page.getByText('New line').tap();
  await expect(ada.field).toBeFocused();
  await ada.page.keyboard.type('two');
  await expect(ada.field).toHaveValue('one\ntwo');
  await expectAccessible(ada.page, 'two lines on a phone');
  await ada.page.keyboard.press('Enter');
  await expect(bob.message('one')).toContainText('one\ntwo', { useInnerText: true });
});
