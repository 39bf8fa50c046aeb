// Uses real child processes that decode images.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createBlackPng, createPlainJpeg, SECRET } from '../../../testing/image-corpus.fixture';
import { findDecoderPids } from '../../../testing/image-decoder.probe';
import { until } from '../../../testing/until.functions';
import { ImageProcessingService } from '../application/image-processing.service';

jest.setTimeout(60_000);

describe('image decoder processes', () => {
  let service: ImageProcessingService;
  afterEach(() => service.onApplicationShutdown());

  /** Starts a processing service; its decoders are those that did not exist before. */
  const startService = (settings: ConstructorParameters<typeof ImageProcessingService>[0]) => {
    const others = new Set(findDecoderPids());
    service = new ImageProcessingService(settings);
    return { listPids: () => findDecoderPids().filter((pid) => !others.has(pid)) };
  };
  const expectNextImageIsDecoded = async () =>
    expect(await service.process(await createPlainJpeg(), 'avatars')).toMatchObject({
      width: 512,
      height: 512,
    });
  /** An image whose decoding takes long enough to interrupt. */
  const createSlowImage = () => createBlackPng(6_400, 6_250);
  const decodeWhileSignalling = async (listPids: () => number[], signal: NodeJS.Signals) => {
    const outcome = service.process(createSlowImage(), 'chat-images').catch((error: unknown) => error);
    const [pid] = await until(listPids, (found) => found.length === 1);
    process.kill(pid!, signal);
    return { outcome: await outcome, pid: pid! };
  };

  it('start on the first image and end when idle', async () => {
    const { listPids } = startService({ idleMs: 100 });
    await service.process(Buffer.from('no image'), 'avatars').catch(() => undefined);
    expect(listPids()).toEqual([]);
    await service.process(await createPlainJpeg(), 'avatars');
    expect(listPids()).toHaveLength(1);
    await until(() => listPids().length === 0);
    await expectNextImageIsDecoded();
  });

  it('are reused for several images and then replaced', async () => {
    const { listPids } = startService({ imagesPerProcess: 3 });
    const seen = new Set<number | undefined>();
    for (let image = 0; image < 6; image += 1) {
      await service.process(await createPlainJpeg(), 'avatars');
      seen.add(listPids()[0]);
    }
    await until(() => listPids().length === 0);
    seen.delete(undefined);
    expect(seen.size).toBeGreaterThanOrEqual(2);
  });

  it('survive an image that they refuse', async () => {
    const { listPids } = startService({});
    await service.process(await createPlainJpeg(), 'avatars');
    const before = listPids();
    const half = (await createPlainJpeg()).subarray(0, 300);
    await expect(service.process(half, 'avatars')).rejects.toMatchObject({ code: 'image_refused' });
    await expectNextImageIsDecoded();
    expect(listPids()).toEqual(before);
  });

  it('are killed and replaced when stuck, and the image is refused', async () => {
    const { listPids } = startService({ killAfterMs: 1_500 });
    const { outcome, pid } = await decodeWhileSignalling(listPids, 'SIGSTOP');
    expect(outcome).toMatchObject({ code: 'image_refused' });
    await until(() => !listPids().includes(pid));
    await expectNextImageIsDecoded();
  });

  it('affect nothing else when they crash on an image', async () => {
    const { listPids } = startService({});
    const { outcome } = await decodeWhileSignalling(listPids, 'SIGSEGV');
    expect(outcome).toMatchObject({ code: 'image_refused' });
    await expectNextImageIsDecoded();
  });

  it('are killed when they use too much memory', async () => {
    const { listPids } = startService({ maxResidentBytes: 1_000_000 });
    await expect(service.process(createSlowImage(), 'chat-images')).rejects.toMatchObject({
      code: 'image_refused',
    });
    await until(() => listPids().length === 0);
  });

  it('survive an interrupt of the process group and end with their replica', async () => {
    const { listPids } = startService({});
    await service.process(await createPlainJpeg(), 'avatars');
    const [pid] = listPids();
    process.kill(pid!, 'SIGINT');
    process.kill(pid!, 'SIGTERM');
    await service.process(await createPlainJpeg(), 'avatars');
    expect(listPids()).toEqual([pid]);
    await service.onApplicationShutdown();
    expect(listPids()).toEqual([]);
  });

  it('end when the channel to their replica closes, as when the replica is killed', async () => {
    startService({});
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
    const { listPids } = startService({});
    process.env.SESSION_SECRET = SECRET;
    await service.process(await createPlainJpeg(), 'avatars');
    delete process.env.SESSION_SECRET;
    const [pid] = listPids();
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain(SECRET);
  });
});
