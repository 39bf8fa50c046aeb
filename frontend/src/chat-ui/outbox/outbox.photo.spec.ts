import { type Outbox } from '@/chat-ui/outbox/outbox';
import { flushPromises } from '@/testing/flush-promises';
import {
  createComposer,
  createPhoto,
  createTestOutbox,
  createText,
  imageUrl,
  photo,
  revokeObjectURL,
  setUpBrowser,
} from '@/testing/outbox.fixture';

beforeEach(setUpBrowser);
afterEach(() => jest.restoreAllMocks());

describe('a photo', () => {
  const submitPhoto = (outbox: Outbox, caption = 'look'): void => {
    outbox.submit('12', createPhoto(caption));
  };

  it('is listed with its progress while it uploads, and is then sent', async () => {
    const { outbox, uploads, sent, listMessages } = createTestOutbox();
    submitPhoto(outbox);
    uploads[0]?.onProgress(45);
    expect(listMessages()).toMatchObject([
      {
        state: 'uploading',
        type: 'mixed',
        content: 'look',
        picture: { previewUrl: 'blob:photo', percent: 45 },
      },
    ]);
    uploads[0]?.finish(imageUrl);
    await flushPromises();
    expect(sent[0]?.content).toBe(`look\n[IMAGE:${imageUrl}]`);
    sent[0]?.ack();
    expect(listMessages()).toEqual([]);
    expect(revokeObjectURL).toHaveBeenCalledWith('blob:photo');
  });

  it('frees its preview when the outbox is loaded again for the same user', () => {
    const { outbox } = createTestOutbox();
    submitPhoto(outbox);
    outbox.switchUser(7);
    expect(revokeObjectURL).toHaveBeenCalledWith('blob:photo');
  });

  it('without a caption is of type image', async () => {
    const { outbox, uploads, sent } = createTestOutbox();
    submitPhoto(outbox, '');
    uploads[0]?.finish(imageUrl);
    await flushPromises();
    expect(sent[0]).toMatchObject({ content: imageUrl, message: { type: 'image' } });
  });

  it('does not delay a text that is written during its upload', () => {
    const { outbox, sent } = createTestOutbox();
    submitPhoto(outbox);
    outbox.submit('12', createText('meanwhile'));
    expect(sent.map(({ content }) => content)).toEqual(['meanwhile']);
  });

  it('is sent even if its conversation was closed during the upload', async () => {
    const { outbox, uploads, sent } = createTestOutbox();
    const unregisterComposer = outbox.registerComposer('12', createComposer());
    submitPhoto(outbox);
    unregisterComposer();
    uploads[0]?.finish(imageUrl);
    await flushPromises();
    expect(sent).toHaveLength(1);
  });

  it('is aborted by Cancel, and its caption returns to the composer', () => {
    const { outbox, uploads, listMessages } = createTestOutbox();
    const composer = createComposer();
    outbox.registerComposer('12', composer);
    submitPhoto(outbox);
    outbox.discard('c1');
    expect(uploads[0]?.signal.aborted).toBe(true);
    expect(listMessages()).toEqual([]);
    expect(composer.returnedMessages).toEqual([{ text: 'look', attachment: null, replyTo: null }]);
  });

  it('returns to the empty composer with its caption when the upload fails', async () => {
    const { outbox, uploads, listMessages } = createTestOutbox();
    const composer = createComposer();
    outbox.registerComposer('12', composer);
    submitPhoto(outbox);
    uploads[0]?.fail(new Error('503'));
    await flushPromises();
    expect(listMessages()).toEqual([]);
    expect(composer.returnedMessages).toMatchObject([
      { text: 'look', attachment: { file: photo, url: null } },
    ]);
    // The composer shows the preview again.
    expect(revokeObjectURL).not.toHaveBeenCalled();
  });

  it.each([
    ['the composer has other content', () => createComposer({ hasOtherContent: true })],
    ['the conversation is closed', () => null],
  ])(
    'stays in the outbox when the upload fails and %s, and Retry uploads it again',
    async (_when, openComposer) => {
      const { outbox, uploads, sent, listStates } = createTestOutbox();
      const composer = openComposer();
      if (composer) outbox.registerComposer('12', composer);
      submitPhoto(outbox);
      uploads[0]?.fail(new Error('503'));
      await flushPromises();
      expect(listStates()).toEqual(['upload_failed']);
      outbox.retry('c1');
      expect(listStates()).toEqual(['uploading']);
      uploads[1]?.finish(imageUrl);
      await flushPromises();
      expect(sent[0]?.content).toBe(`look\n[IMAGE:${imageUrl}]`);
    },
  );

  it('that already has a URL is not uploaded again', () => {
    const { outbox, uploads, sent } = createTestOutbox();
    const attachment = { previewUrl: imageUrl, file: null, url: imageUrl };
    outbox.submit('12', { text: 'look', attachment, replyTo: null });
    expect(uploads).toEqual([]);
    expect(sent[0]?.content).toBe(`look\n[IMAGE:${imageUrl}]`);
  });

  it('is removed, and its upload aborted, when keepOnlyConversations does not keep its conversation', () => {
    const { outbox, uploads, listMessages } = createTestOutbox();
    submitPhoto(outbox);
    outbox.keepOnlyConversations((conversationId) => conversationId === 's2');
    expect(uploads[0]?.signal.aborted).toBe(true);
    expect(listMessages()).toEqual([]);
  });
});
