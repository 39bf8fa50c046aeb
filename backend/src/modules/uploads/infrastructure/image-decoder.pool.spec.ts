// Real: child processes that decode images.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createHugePng, createPlainJpeg, SECRET } from '../../../testing/image-corpus.fixture';
import { findDecoderPids } from '../../../testing/image-decoder.probe';
import { until } from '../../../testing/until.functions';
import { ImageProcessingService } from '../application/image-processing.service';

jest.setTimeout(60_000);

describe('image decoder processes', () => {
  let own: ImageProcessingService;
  afterEach(() => own.onApplicationShutdown());

  /** Starts a processing service; its decoders are those that did not exist before. */
  const start = (settings: ConstructorParameters<typeof ImageProcessingService>[0]) => {
    const others = new Set(findDecoderPids());
    own = new ImageProcessingService(settings);
    return { listPids: () => findDecoderPids().filter((pid) => !others.has(pid)) };
  };
  const expectNextImageIsDecoded = async () =>
    expect(await own.process(await createPlainJpeg(), 'avatars')).toMatchObject({ width: 512, height: 512 });
  /** An image whose decoding takes long enough to interrupt. */
  const slow = () => createHugePng(6_400, 6_250);
  const decodeWhileSignalling = async (pids: () => number[], signal: NodeJS.Signals) => {
    const outcome = own.process(slow(), 'chat-images').catch((error: unknown) => error);
    const [pid] = await until(pids, (found) => found.length === 1);
    process.kill(pid!, signal);
    return { outcome: await outcome, pid: pid! };
  };

  it('start on the first image and end when idle', async () => {
    const { listPids: pids } = start({ idleMs: 100 });
    await own.process(Buffer.from('no image'), 'avatars').catch(() => undefined);
    expect(pids()).toEqual([]);
    await own.process(await createPlainJpeg(), 'avatars');
    expect(pids()).toHaveLength(1);
    await until(() => pids().length === 0);
    await expectNextImageIsDecoded();
  });

  it('are reused for several images and then replaced', async () => {
    const { listPids: pids } = start({ imagesPerProcess: 3 });
    const seen = new Set<number | undefined>();
    for (let image = 0; image < 6; image += 1) {
      await own.process(await createPlainJpeg(), 'avatars');
      seen.add(pids()[0]);
    }
    await until(() => pids().length === 0);
    seen.delete(undefined);
    expect(seen.size).toBeGreaterThanOrEqual(2);
  });

  it('survive an image that they refuse', async () => {
    const { listPids: pids } = start({});
    await own.process(await createPlainJpeg(), 'avatars');
    const before = pids();
    const half = (await createPlainJpeg()).subarray(0, 300);
    await expect(own.process(half, 'avatars')).rejects.toMatchObject({ code: 'image_refused' });
    await expectNextImageIsDecoded();
    expect(pids()).toEqual(before);
  });

  it('are killed and replaced when stuck, and the image is refused', async () => {
    const { listPids: pids } = start({ killAfterMs: 1_500 });
    const { outcome, pid } = await decodeWhileSignalling(pids, 'SIGSTOP');
    expect(outcome).toMatchObject({ code: 'image_refused' });
    await until(() => !pids().includes(pid));
    await expectNextImageIsDecoded();
  });

  it('affect nothing else when they crash on an image', async () => {
    const { listPids: pids } = start({});
    const { outcome } = await decodeWhileSignalling(pids, 'SIGSEGV');
    expect(outcome).toMatchObject({ code: 'image_refused' });
    await expectNextImageIsDecoded();
  });

  it('are killed when they use too much memory', async () => {
    const { listPids: pids } = start({ maxResidentBytes: 1_000_000 });
    await expect(own.process(slow(), 'chat-images')).rejects.toMatchObject({ code: 'image_refused' });
    await until(() => pids().length === 0);
  });

  it('survive an interrupt of the process group and end with their replica', async () => {
    const { listPids: pids } = start({});
    await own.process(await createPlainJpeg(), 'avatars');
    const [pid] = pids();
    process.kill(pid!, 'SIGINT');
    process.kill(pid!, 'SIGTERM');
    await own.process(await createPlainJpeg(), 'avatars');
    expect(pids()).toEqual([pid]);
    await own.onApplicationShutdown();
    expect(pids()).toEqual([]);
  });

  it('end when the channel to their replica closes, as when the replica is killed', async () => {
    start({});
    const child = fork(path.join(__dirname, 'image-decoder.process.cjs'), {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = once(child, 'exit');
    await once(child, 'spawn');
    child.disconnect();
    await ended;
    expect(child.exitCode).toBe(0);
  });

  it('receive no setting of the replica', async () => {
    const { listPids: pids } = start({});
    process.env.SESSION_SECRET = SECRET;
    await own.process(await createPlainJpeg(), 'avatars');
    delete process.env.SESSION_SECRET;
    const [pid] = pids();
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain(SECRET);
  });
});
