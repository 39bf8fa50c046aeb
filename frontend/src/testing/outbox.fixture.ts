import { createAttachment } from '@/chat-ui/composer/attachment';
import { type ReturnedMessage } from '@/chat-ui/chat-message';
import { createOutbox } from '@/chat-ui/outbox/outbox';
import { toWireContent, type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';
import { FakeClock } from '@/testing/fake-clock';

/** URL of an uploaded photo. */
export const imageUrl = '/api/files/chat-images/0b0f3f2a-5a86-4a61-9a0e-6a4b8c1d2e3f.webp';
export const photo = new File(['x'], 'dot.png', { type: 'image/png' });
/** A text as the composer submits it. */
export const createText = (text: string) => ({ text, attachment: null, replyTo: null });
/** A photo that is not uploaded yet, as the composer submits it. */
export const createPhoto = (caption: string) => ({
  text: caption,
  attachment: createAttachment(photo),
  replyTo: null,
});

/** An outbox of user 7 with a fake clock. Records its messages and uploads; the test acts as the server. */
export const createTestOutbox = () => {
  const clock = new FakeClock();
  const connection = { isConnected: true };
  const sent: {
    message: OutgoingMessage;
    content: string;
    ack: () => void;
    ackWithInvalidData: () => void;
    reject: (error: unknown) => void;
  }[] = [];
  const uploads: {
    signal: AbortSignal;
    onProgress: (percent: number) => void;
    finish: (url: string) => void;
    fail: (error: unknown) => void;
  }[] = [];
  const returnedToDrafts: unknown[] = [];
  const lostPictures: unknown[] = [];
  const ackedIds: string[] = [];
  let idCount = 0;
  const outbox = createOutbox({
    clock,
    newId: () => `c${(idCount += 1)}`,
    getStorageKey: (userId) => `test-${userId}`,
    isConnected: () => connection.isConnected,
    send: (message, onAck) =>
      new Promise((_resolve, reject) =>
        sent.push({
          message,
          content: toWireContent(message),
          ack: () => onAck({ ok: true }),
          ackWithInvalidData: () => onAck({}),
          reject,
        }),
      ),
    handleAck: ({ clientId }, data) => {
      const isValid = data.ok === true;
      if (isValid) ackedIds.push(clientId);
      return isValid;
    },
    onRefused: () => undefined,
    upload: (_file, { signal, onProgress }) =>
      new Promise((finish, fail) => uploads.push({ signal, onProgress, finish, fail })),
    onReturnedWithoutComposer: (...args) => returnedToDrafts.push(args),
    onPictureLost: (...args) => lostPictures.push(args),
  });
  outbox.switchUser(7);
  return {
    outbox,
    clock,
    connection,
    sent,
    uploads,
    returnedToDrafts,
    lostPictures,
    ackedIds,
    listMessages: () => outbox.useStore.getState().messages,
    listStates: () => outbox.useStore.getState().messages.map(({ state }) => state),
    getNoticeKind: () => outbox.useStore.getState().notice?.kind,
  };
};

/** A composer that records the messages it takes back. It refuses pictures if it already has other content. */
export const createComposer = ({ hasOtherContent = false } = {}) => {
  const returnedMessages: ReturnedMessage[] = [];
  return {
    returnedMessages,
    takeBack: (returned: ReturnedMessage): boolean => {
      const isTakenBack = !hasOtherContent || returned.attachment === null;
      if (isTakenBack) returnedMessages.push(returned);
      return isTakenBack;
    },
  };
};

export const revokeObjectURL = jest.fn<void, [string]>();

/** Clears the session storage, silences warnings, and replaces the functions for object URLs, which jsdom lacks. */
export const setUpBrowser = (): void => {
  sessionStorage.clear();
  // The outbox warns about a message that is submitted while not connected, and about a photo that was not stored.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  URL.createObjectURL = () => 'blob:photo';
  revokeObjectURL.mockReset();
  URL.revokeObjectURL = revokeObjectURL;
};
