import type { Pair } from './pairs';
import { RelayLoad } from './relay-load';
import { Wire, type WireFrame } from './wire';

const ADA = 1;
const BOB = 2;

/** Ada and Bob send two messages each, in turn. Ada is first. */
const MESSAGE_COUNT = 4;
const PER_SECOND = 400;
const SECONDS = MESSAGE_COUNT / PER_SECOND;

const socketThatStaysOpen = { once: () => undefined } as never;

/** A socket without a network. */
class FakeWire extends Wire {
  /** The contents of the messages that this user has sent. */
  readonly sent: string[] = [];
  /** Simulates the server: called with each message that this user sends. */
  onSend: (content: string, ref: string) => void = () => undefined;

  constructor() {
    super(socketThatStaysOpen);
  }

  send(_: string, data: object, ref: string): void {
    const { content } = data as { content: string };
    this.sent.push(content);
    this.onSend(content, ref);
  }

  deliver(frame: WireFrame): void {
    this.receive(frame);
  }
}

const createPair = (): { pair: Pair; ada: FakeWire; bob: FakeWire } => {
  const [ada, bob] = [new FakeWire(), new FakeWire()];
  const pair: Pair = [
    { wire: ada, userId: ADA, sessionId: 's' },
    { wire: bob, userId: BOB, sessionId: 's' },
  ];
  return { pair, ada, bob };
};
const createAck = (ref: string): WireFrame => ({ event: 'ack', data: {}, ref });
const createRefusal = (ref: string): WireFrame => ({ event: 'error', data: { code: 'unavailable' }, ref });
const createMessage = (senderId: number, content: string): WireFrame => ({
  event: 'random_message',
  data: { senderId, content },
});

describe('RelayLoad', () => {
  it("counts only the partner's copy as received when a refused message was stored all the same", async () => {
    const { pair, ada, bob } = createPair();
    bob.onSend = (content, ref) => {
      bob.deliver(createAck(ref));
      ada.deliver(createMessage(BOB, content));
    };
    let refusedContent: string | undefined;
    ada.onSend = (content, ref) => {
      // The server refuses Ada's first message.
      if (refusedContent === undefined) {
        refusedContent = content;
        ada.deliver(createRefusal(ref));
        return;
      }
      // The first message was stored after its refusal: both users receive it before the second message.
      ada.deliver(createMessage(ADA, refusedContent));
      bob.deliver(createMessage(ADA, refusedContent));
      ada.deliver(createAck(ref));
      bob.deliver(createMessage(ADA, content));
    };
    const result = await new RelayLoad([pair]).run(PER_SECOND, SECONDS);
    expect(result).toMatchObject({
      sent: MESSAGE_COUNT,
      acked: 3,
      refused: 1,
      received: 4, // two by each user
      storedAfterRefusal: 1,
      outOfOrder: 0,
    });
  });

  it('counts late and duplicate messages as out of order', async () => {
    const { pair, ada, bob } = createPair();
    bob.onSend = (_content, ref) => bob.deliver(createAck(ref));
    ada.onSend = (_content, ref) => {
      ada.deliver(createAck(ref));
      if (ada.sent.length < 2) return;
      const [first, second] = ada.sent as [string, string];
      bob.deliver(createMessage(ADA, second));
      bob.deliver(createMessage(ADA, first)); // late
      const messageOfBob = createMessage(BOB, bob.sent[0]!);
      ada.deliver(messageOfBob);
      ada.deliver(messageOfBob); // duplicate
    };
    const result = await new RelayLoad([pair]).run(PER_SECOND, SECONDS);
    expect(result.outOfOrder).toBe(2);
  });
});
