import type { Pair } from './pairs';
import { RelayLoad } from './relay-load';
import { Wire, type WireFrame } from './wire';

const ADA = 1;
const BOB = 2;

/** Four messages, sent by Ada and Bob in turn, Ada first: 400 a second for 10 ms. */
const PER_SECOND = 400;
const SECONDS = 0.01;

const socketThatStaysOpen = { once: () => undefined } as never;

/** A socket without a network: `onSend` simulates the server. */
class FakeWire extends Wire {
  readonly sent: { content: string; ref: string }[] = [];

  constructor() {
    super(socketThatStaysOpen);
  }

  send(_: string, data: object, ref: string): void {
    this.sent.push({ content: (data as { content: string }).content, ref });
    this.onSend();
  }

  onSend: () => void = () => undefined;

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
const createMessage = (senderId: number, content: string): WireFrame => ({
  event: 'random_message',
  data: { senderId, content },
});

describe('RelayLoad', () => {
  it("counts only the partner's copy as received when a refused message was stored all the same", async () => {
    const { pair, ada, bob } = createPair();
    bob.onSend = () => {
      const { content, ref } = bob.sent.at(-1)!;
      bob.deliver(createAck(ref));
      ada.deliver(createMessage(BOB, content));
    };
    ada.onSend = () => {
      const { content, ref } = ada.sent.at(-1)!;
      // The server refuses Ada's first message.
      if (ref === '1') return ada.deliver({ event: 'error', data: { code: 'unavailable' }, ref });
      // The first message was stored after its refusal: both users receive it before the second message.
      ada.deliver(createMessage(ADA, ada.sent[0]!.content));
      bob.deliver(createMessage(ADA, ada.sent[0]!.content));
      ada.deliver(createAck(ref));
      bob.deliver(createMessage(ADA, content));
    };
    const result = await new RelayLoad([pair]).run(PER_SECOND, SECONDS);
    expect(result).toMatchObject({
      sent: 4,
      acked: 3,
      refused: 1,
      received: 4,
      storedAfterRefusal: 1,
      outOfOrder: 0,
    });
  });

  it('counts late and duplicate messages as out of order', async () => {
    const { pair, ada, bob } = createPair();
    bob.onSend = () => bob.deliver(createAck(bob.sent.at(-1)!.ref));
    ada.onSend = () => {
      ada.deliver(createAck(ada.sent.at(-1)!.ref));
      if (ada.sent.length < 2) return;
      // Bob receives Ada's messages in the wrong order, and Ada receives a message of Bob twice.
      bob.deliver(createMessage(ADA, ada.sent[1]!.content));
      bob.deliver(createMessage(ADA, ada.sent[0]!.content));
      ada.deliver(createMessage(BOB, bob.sent[0]!.content));
      ada.deliver(createMessage(BOB, bob.sent[0]!.content));
    };
    const result = await new RelayLoad([pair]).run(PER_SECOND, SECONDS);
    expect(result.outOfOrder).toBe(2);
  });
});
