import { MetricsRegistry } from '../observability/metrics.registry';
import { FrameMetricsRegistry } from './frame-metrics.registry';

describe('FrameMetricsRegistry', () => {
  const metrics = new MetricsRegistry();
  const frames = new FrameMetricsRegistry(metrics);
  const readLines = async (prefix: string) =>
    (await metrics.expose()).body.split('\n').filter((line) => line.startsWith(prefix));

  it('counts frames by event and outcome, and measures them', async () => {
    frames.recordFrame('ping', 'ok', 1);
    frames.recordFrame('ping', 'rate_limited', 3);
    frames.recordFrame('random_message', 'ok', 2);
    expect(await readLines('thaw_frames_total')).toEqual([
      'thaw_frames_total{event="random_message",outcome="ok"} 1',
      'thaw_frames_total{event="random_message",outcome="internal"} 0',
      'thaw_frames_total{event="random_message",outcome="unavailable"} 0',
      'thaw_frames_total{event="ping",outcome="ok"} 1',
      'thaw_frames_total{event="ping",outcome="internal"} 0',
      'thaw_frames_total{event="ping",outcome="unavailable"} 0',
      'thaw_frames_total{event="ping",outcome="rate_limited"} 1',
    ]);
    expect(await readLines('thaw_frame_seconds_count')).toEqual([
      'thaw_frame_seconds_count{event="random_message"} 1',
      'thaw_frame_seconds_count{event="ping"} 2',
    ]);
    expect(await readLines('thaw_message_ack_seconds_sum')).toEqual(['thaw_message_ack_seconds_sum 0.002']);
  });

  it('counts closes by code, and the codes that clients make up as one', async () => {
    [1006, 4401, 4999, 3000, 1006].forEach((code) => frames.recordClose(code));
    const lines = await readLines('thaw_socket_closes_total');
    expect(lines.filter((line) => !line.endsWith(' 0'))).toEqual([
      'thaw_socket_closes_total{code="1006"} 2',
      'thaw_socket_closes_total{code="4401"} 1',
      'thaw_socket_closes_total{code="other"} 2',
    ]);
    expect(lines).toContain('thaw_socket_closes_total{code="1011"} 0');
  });
});
