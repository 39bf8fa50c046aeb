// Uses real child processes. Their parent is the process of the test, in place of a replica (a server process).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createBlackPng, createPlainJpeg, SECRET } from '../../../testing/image-corpus.fixture';
import { findDecoderPids } from '../../../testing/image-decoder.probe';
import { until } from '../../../testing/until.functions';
import { ImageProcessingService } from '../application/image-processing.service';

/** Every avatar is scaled to a square of this size. */
const AVATAR_SIDE_PX = 512;

jest.setTimeout(60_000);

describe('image decoder processes', () => {
  let service: ImageProcessingService;
  afterEach(() => service.onApplicationShutdown());

  /** Creates the service. @returns `listPids`, which lists its decoders, without those that already ran. */
  const createService = (settings: ConstructorParameters<typeof ImageProcessingService>[0]) => {
    const earlierPids = new Set(findDecoderPids());
    service = new ImageProcessingService(settings);
    return { listPids: () => findDecoderPids().filter((pid) => !earlierPids.has(pid)) };
  };
  const expectNextImageIsDecoded = async () =>
    expect(await service.process(await createPlainJpeg(), 'avatars')).toMatchObject({
      width: AVATAR_SIDE_PX,
      height: AVATAR_SIDE_PX,
    });
  /** An image whose decoding takes long enough to interrupt. */
  const createSlowImage = () => createBlackPng(6_400, 6_250); // the maximum of 40 million pixels
  /** Sends the signal to the decoder while it decodes an image. */
  const signalDuringDecoding = async (listPids: () => number[], signal: NodeJS.Signals) => {
    const outcome = service.process(createSlowImage(), 'chat-images').catch((error: unknown) => error);
    const [pid] = await until(listPids, (found) => found.length === 1);
    process.kill(pid!, signal);
    return { outcome: await outcome, pid: pid! };
  };

  it('start on the first image and end when idle', async () => {
    const { listPids } = createService({ idleMs: 100 });
    // Refused by its first bytes, without a decoder.
    await service.process(Buffer.from('no image'), 'avatars').catch(() => undefined);
    expect(listPids()).toEqual([]);
    await service.process(await createPlainJpeg(), 'avatars');
    expect(listPids()).toHaveLength(1);
    await until(() => listPids().length === 0);
    await expectNextImageIsDecoded();
  });

  it('are replaced after the configured number of images', async () => {
    const { listPids } = createService({ imagesPerProcess: 3 });
    const seenPids = new Set<number>();
    for (let image = 0; image < 6; image += 1) {
      await service.process(await createPlainJpeg(), 'avatars');
      for (const pid of listPids()) seenPids.add(pid);
    }
    await until(() => listPids().length === 0); // the second decoder ends after the sixth image
    expect(seenPids.size).toBeGreaterThanOrEqual(2);
  });

  it('survive an image that they refuse', async () => {
    const { listPids } = createService({});
    await service.process(await createPlainJpeg(), 'avatars');
    const pidsBefore = listPids();
    const truncated = (await createPlainJpeg()).subarray(0, 300);
    await expect(service.process(truncated, 'avatars')).rejects.toMatchObject({ code: 'image_refused' });
    await expectNextImageIsDecoded();
    expect(listPids()).toEqual(pidsBefore);
  });

  it('are killed and replaced when they are stuck on an image; the image is refused', async () => {
    const { listPids } = createService({ killAfterMs: 1_500 });
    const { outcome, pid } = await signalDuringDecoding(listPids, 'SIGSTOP');
    expect(outcome).toMatchObject({ code: 'image_refused' });
    await until(() => !listPids().includes(pid));
    await expectNextImageIsDecoded();
  });

  it('are replaced when they crash on an image; the image is refused', async () => {
    const { listPids } = createService({});
    const { outcome } = await signalDuringDecoding(listPids, 'SIGSEGV');
    expect(outcome).toMatchObject({ code: 'image_refused' });
    await expectNextImageIsDecoded();
  });

  it('are killed when they use too much memory', async () => {
    const { listPids } = createService({ maxResidentBytes: 1_000_000 });
    await expect(service.process(createSlowImage(), 'chat-images')).rejects.toMatchObject({
      code: 'image_refused',
    });
    await until(() => listPids().length === 0);
  });

  it('survive SIGINT and SIGTERM, which a whole process group may receive', async () => {
    const { listPids } = createService({});
    await service.process(await createPlainJpeg(), 'avatars');
    const [pid] = listPids();
    process.kill(pid!, 'SIGINT');
    process.kill(pid!, 'SIGTERM');
    await service.process(await createPlainJpeg(), 'avatars');
    expect(listPids()).toEqual([pid]);
  });

  it('end when the service shuts down', async () => {
    const { listPids } = createService({});
    await service.process(await createPlainJpeg(), 'avatars');
    expect(listPids()).toHaveLength(1);
    await service.onApplicationShutdown();
    expect(listPids()).toEqual([]);
  });

  it('do not receive the environment variables of the replica', async () => {
    const { listPids } = createService({});
    process.env.SESSION_SECRET = SECRET;
    await service.process(await createPlainJpeg(), 'avatars');
    delete process.env.SESSION_SECRET;
    const [pid] = listPids();
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain(SECRET);
  });
});

it('an image decoder process ends when the channel to its parent closes, as when a replica is killed', async () => {
  const child = fork(path.join(__dirname, 'image-decoder.process.cjs'), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(child, 'exit');
  await once(child, 'spawn');
  child.disconnect();
  await ended;
  expect(child.exitCode).toBe(0);
});
