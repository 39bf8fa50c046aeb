import { clientFrames } from '@thaw/contract/client-frames';
import { MetricsRegistry } from '../observability/metrics.registry';
import { FrameMetricsRegistry } from './frame-metrics.registry';

describe('FrameMetricsRegistry', () => {
  let metrics: MetricsRegistry;
  let frames: FrameMetricsRegistry;
  beforeEach(() => {
    metrics = new MetricsRegistry();
    frames = new FrameMetricsRegistry(metrics);
  });

  const readLines = async (prefix: string) =>
    (await metrics.expose()).body.split('\n').filter((line) => line.startsWith(prefix));

  it('counts frames by event and outcome', async () => {
    frames.recordFrame('typing', 'ok', 1);
    frames.recordFrame('typing', 'rate_limited', 3);
    expect(await readLines('thaw_frames_total{event="typing"')).toEqual([
      'thaw_frames_total{event="typing",outcome="ok"} 1',
      // Exposed for every event from the start.
      'thaw_frames_total{event="typing",outcome="internal"} 0',
      'thaw_frames_total{event="typing",outcome="unavailable"} 0',
      'thaw_frames_total{event="typing",outcome="rate_limited"} 1',
    ]);
  });

  it('counts the measured durations by event, whatever the outcome', async () => {
    frames.recordFrame('typing', 'ok', 1);
    frames.recordFrame('typing', 'rate_limited', 3);
    frames.recordFrame('random_message', 'ok', 2);
    const lines = await readLines('thaw_frame_seconds_count');
    expect(lines).toContain('thaw_frame_seconds_count{event="typing"} 2');
    expect(lines).toContain('thaw_frame_seconds_count{event="random_message"} 1');
  });

  it('exposes the durations of messages in random chats, and no others, under a second name', async () => {
    frames.recordFrame('typing', 'ok', 1);
    frames.recordFrame('random_message', 'ok', 2);
    expect(await readLines('thaw_message_ack_seconds_sum')).toEqual(['thaw_message_ack_seconds_sum 0.002']);
  });

  it('exposes every event of the contract before its first frame', async () => {
    const lines = await readLines('thaw_frames_total');
    for (const event of Object.keys(clientFrames))
      expect(lines).toContain(`thaw_frames_total{event="${event}",outcome="internal"} 0`);
  });

  it('counts all events outside the contract under one label', async () => {
    frames.recordFrame('made_up', 'unknown_event', 1);
    frames.recordFrame('unknown', 'unknown_event', 1); // a client may also send the label itself
    const lines = await readLines('thaw_frames_total');
    expect(lines).toContain('thaw_frames_total{event="unknown",outcome="unknown_event"} 2');
    expect(lines.join()).not.toContain('made_up');
  });

  it('counts closes by code, and all unknown codes under one label', async () => {
    // The contract has no codes 3000 and 4999.
    for (const code of [1006, 1006, 4401, 3000, 4999]) frames.recordClose(code);
    const lines = await readLines('thaw_socket_closes_total');
    const linesAboveZero = lines.filter((line) => !line.endsWith(' 0'));
    expect(linesAboveZero).toEqual([
      'thaw_socket_closes_total{code="1006"} 2',
      'thaw_socket_closes_total{code="4401"} 1',
      'thaw_socket_closes_total{code="other"} 2',
    ]);
    expect(lines).toContain('thaw_socket_closes_total{code="1011"} 0');
  });
});
