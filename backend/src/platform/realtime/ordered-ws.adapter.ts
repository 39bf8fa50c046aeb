import type { IncomingMessage, Server } from 'node:http';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { type RawData, type WebSocket, type WebSocketServer } from 'ws';
import { $ZodObject, $ZodObjectJIT, type $ZodType, safeParse } from 'zod/v4/core';
import { clientFrames, type ClientData, type ClientEvent } from '@thaw/contract/client-frames';
import { closeCodes } from '@thaw/contract/close-codes';
import {
  type HttpErrorCode,
  httpErrorStatus,
  type SocketErrorCode,
  socketErrorCodes,
} from '@thaw/contract/error-codes';
import { limits } from '@thaw/contract/limits';
import { isExcluded } from '@thaw/contract/safety';
import { isWireId } from '@thaw/contract/scalars';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { DomainError, type DomainErrorDetails } from '../errors/domain.errors';
import { errorMessages } from '../errors/error-message.registry';
import { isStoreFailure } from '../errors/store-failure.errors';
import { toRateLimitSubject } from '../http/rate-limit-subject.functions';
import { parseUntrustedJson } from '../json/untrusted-json.parser';
import { logWarning } from '../observability/warn-about.functions';
import { RateLimiterService } from '../rate-limit/rate-limiter.service';
import { readClientAddress } from './client-address.functions';
import { type UserFrameLimiter, FrameRateLimiter } from './frame-rate.limiter';
import { FrameMetricsRegistry } from './frame-metrics.registry';
import { type GatewayMethod, collectGatewayMethods } from './gateway-methods.functions';
import { InboundFrame } from './inbound-frame.model';
import { FLOODING_AFTER_REFUSALS, realtimeLimits } from './realtime.limits';
import { SocketAdmissionService } from './socket-admission.service';
import { SocketConnection } from './socket-connection.model';
import { SOCKET_IDENTITY_PORT, type SocketIdentityPort, type SocketIdentity } from './socket-identity.port';
import { SocketRegistry } from './socket.registry';
import { toErrorBody, serveUpgrades } from './upgrade-request.functions';

/** Arguments with which ws refuses an upgrade. */
type UpgradeRefusal = [status: number, body: string, headers: Record<string, string>];
/** The callback of ws for the result of `verifyClient`. Only a refusal has further arguments. */
type VerifyDone = (isAccepted: boolean, ...refusal: UpgradeRefusal | []) => void;

const knownErrorCodes: ReadonlySet<string> = new Set(socketErrorCodes);
const isSocketErrorCode = (code: string): code is SocketErrorCode => knownErrorCodes.has(code);
/** Codes of frames that a correct client never sends. */
const invalidFrameCodes = new Set<SocketErrorCode>(['invalid_json', 'unknown_event', 'invalid_payload']);
const isClientEvent = (event: string): event is ClientEvent => Object.hasOwn(clientFrames, event);

/** Schema and gateway method of an event. */
interface Route {
  event: ClientEvent;
  schema: $ZodType<ClientData<ClientEvent>>;
  method: GatewayMethod;
}

/** The connection, rate limiter and counts of an open socket. */
interface SocketState {
  connection: SocketConnection;
  userLimiter: UserFrameLimiter;
  /** Number of frames in a row that the rate limit has refused. */
  consecutiveRefusals: number;
  /** Number of frames that were refused with one of `invalidFrameCodes`, in total. */
  invalidFrameCount: number;
}

/**
 * WebSocket adapter that handles the frames of each socket in order and answers every error. Nest's `WsAdapter` handles
 * the frames of one socket concurrently, silently drops invalid JSON, unknown events and thrown errors, and accepts any
 * Origin, frame size and frame type.
 */
export class OrderedWsAdapter extends WsAdapter {
  private readonly log = new Logger(OrderedWsAdapter.name);
  private readonly environment: Environment;
  /** Finds the user and the login to which the cookie of a request belongs. */
  private readonly identities: SocketIdentityPort;
  private readonly registry: SocketRegistry;
  /** The identities that `checkUpgrade` has found, for `handleConnection`. */
  private readonly identityByRequest = new WeakMap<IncomingMessage, SocketIdentity>();
  private readonly admission: SocketAdmissionService;
  private readonly frameRateLimiter: FrameRateLimiter;
  private readonly metrics: FrameMetricsRegistry;

  /** By event; built at the first frame. */
  private routes: ReadonlyMap<string, Route> | undefined;

  constructor(private readonly application: INestApplicationContext) {
    super(application);
    this.environment = application.get<Environment>(ENVIRONMENT);
    this.identities = application.get<SocketIdentityPort>(SOCKET_IDENTITY_PORT);
    this.registry = application.get(SocketRegistry);
    this.admission = application.get(SocketAdmissionService);
    this.metrics = application.get(FrameMetricsRegistry);
    this.frameRateLimiter = new FrameRateLimiter(
      application.get(RateLimiterService),
      this.environment.LIMITS_PROFILE,
    );
  }

  /** Creates the server and passes its sockets to `handleConnection`. */
  override create(port: number, options: Record<string, unknown> = {}): WebSocketServer {
    const server = super.create(port, {
      ...options,
      clientTracking: false, // the SocketRegistry lists all sockets
      perMessageDeflate: false, // `writeTextFrame`, which sends the frames, does not compress
      maxPayload: limits.frameMaxBytes,
      maxFragments: realtimeLimits.maxFragments,
      closeTimeout: realtimeLimits.closeTimeoutMs,
      verifyClient: ({ req }: { req: IncomingMessage }, done: VerifyDone) => this.verifyUpgrade(req, done),
    }) as WebSocketServer;
    server.on('connection', (socket: WebSocket, request: IncomingMessage) =>
      this.handleConnection(socket, request),
    );
    return server;
  }

  /** Replaces Nest's upgrade listener, which ends a connection to an unknown path without an HTTP response. */
  protected override ensureHttpServerExists(port: number, httpServer?: Server): Server | undefined {
    // As in Nest, a port gets one listener. `httpServer` is missing only for a gateway with a port of its own, and Thaw
    // has no such gateway.
    if (!httpServer || this.httpServersRegistry.has(port)) return undefined;
    this.httpServersRegistry.set(port, httpServer);
    serveUpgrades(httpServer, (request, stream, head) => {
      // All gateways share one path, and therefore one server.
      const server = this.wsServersRegistry.get(port)?.[0] as WebSocketServer;
      server.handleUpgrade(request, stream, head, (socket) => server.emit('connection', socket, request));
    });
    return httpServer;
  }

  override bindErrorHandler(server: WebSocketServer): WebSocketServer {
    server.on('error', (error) => this.log.error(error));
    // ws closes a socket after a protocol error. The error is not logged, because peers can cause any number of them,
    // but it needs a listener: without one it would end the process.
    server.on('connection', (socket: WebSocket) => socket.on('error', () => undefined));
    return server;
  }

  /** Nothing to bind: frames are passed to the gateway methods directly. */
  override bindMessageHandlers(): void {}

  /** Checks an upgrade within `handshakeTimeoutMs` and calls `done` once. */
  private verifyUpgrade(request: IncomingMessage, done: VerifyDone): void {
    let isDone = false;
    const finish = (refusal?: UpgradeRefusal): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      if (refusal) done(false, ...refusal);
      else done(true);
    };
    const timer = setTimeout(
      () => finish(createUpgradeRefusal('unavailable')),
      realtimeLimits.handshakeTimeoutMs,
    );
    this.checkUpgrade(request).then(finish, (error: unknown) => {
      this.log.warn(`An upgrade could not be checked: ${error instanceof Error ? error.name : 'unknown'}`);
      finish(createUpgradeRefusal('unavailable'));
    });
  }

  /** @returns the refusal, or undefined if the socket may open. @throws when the login cannot be looked up. */
  private async checkUpgrade(request: IncomingMessage): Promise<UpgradeRefusal | undefined> {
    if (!this.identities.isAllowedOrigin(request)) return createUpgradeRefusal('bad_origin');
    const address = readClientAddress(request, this.environment.TRUST_PROXY);
    const admission = await this.admission.admit(toRateLimitSubject(address));
    if (!admission.isAdmitted) return createUpgradeRefusal('rate_limited', admission.retryAfterMs);
    // The admission ends with the connection, whether or not the upgrade succeeds.
    if (request.socket.destroyed) admission.release();
    else request.socket.once('close', admission.release);
    // An upgrade without a valid login is not refused: `handleConnection` closes the socket with `notSignedIn`, a code
    // that the page can read, unlike the status of a refused upgrade.
    const identity = await this.identities.identify(request);
    if (identity) this.identityByRequest.set(request, identity);
    return undefined;
  }

  /** Registers an open socket for its user, or closes it if it has no valid login or the user is excluded. */
  private handleConnection(socket: WebSocket, request: IncomingMessage): void {
    const identity = this.identityByRequest.get(request);
    if (!identity) {
      socket.close(closeCodes.notSignedIn);
      return;
    }
    const connection = new SocketConnection(
      socket,
      request.socket,
      identity,
      // `state` is declared below, but is set before the first frame: the listener for frames is added after it.
      (text, receivedAt) => this.handleFrame(state, text, receivedAt),
      Date.now(),
    );
    // The frame contains the reason: a suspension or a ban. After this close code, a client does not reconnect.
    if (isExcluded(identity.standing)) {
      connection.sendFrame('standing', identity.standing);
      connection.close(closeCodes.notSignedIn);
      return;
    }
    const state: SocketState = {
      connection,
      userLimiter: this.frameRateLimiter.acquire(identity.userId),
      consecutiveRefusals: 0,
      invalidFrameCount: 0,
    };
    const registration = this.registry.register(connection).catch((error: unknown) => {
      logWarning(this.log, 'A socket could not be registered', error);
      connection.close(closeCodes.internalError);
    });
    connection.becomeReadyAfter(registration);
    // The cookie has identified the user, but the socket may be used only after its page has sent `authenticate`.
    const authenticateTimer = setTimeout(() => {
      if (!connection.isAuthenticated) connection.close(closeCodes.authenticateTimeout);
    }, limits.authenticateTimeoutMs);

    socket.on('message', (data: RawData, isBinary: boolean) => {
      if (isBinary) connection.close(closeCodes.unsupportedData);
      // A text frame arrives as one Buffer: that is ws's default binaryType.
      else connection.enqueue((data as Buffer).toString());
    });
    socket.on('close', (code: number) => {
      clearTimeout(authenticateTimer);
      this.metrics.recordClose(code);
      this.frameRateLimiter.release(identity.userId);
      const isClean = code === closeCodes.normal || code === closeCodes.goingAway;
      this.registry.unregister(connection, isClean);
    });
  }

  private async handleFrame(state: SocketState, text: string, receivedAt: number): Promise<void> {
    if (!state.connection.isReady) await state.connection.ready;
    // The socket may have been closed since, for instance because the login is no longer valid.
    if (!state.connection.isOpen) return;
    // Set step by step, so that `catch` and `finally` know how far the frame got.
    let ref: string | undefined;
    let frame: InboundFrame | undefined;
    let eventLabel = 'unknown'; // for the metrics
    let outcome: 'ok' | SocketErrorCode = 'ok';
    try {
      const envelope = parseEnvelope(text);
      ref = readRef(envelope);
      if (envelope.ref !== undefined && ref === undefined) throw new DomainError('invalid_payload');
      // The rate is checked after the ref has been read, so that a refusal contains the ref.
      this.requireFrameRate(state);
      // A ping needs neither authentication nor a gateway.
      if (envelope.event === 'ping') {
        eventLabel = 'ping';
        state.connection.send(JSON.stringify({ event: 'pong', ref }));
        return;
      }
      const route = this.findRoute(envelope.event);
      eventLabel = route.event;
      frame = toInboundFrame(state, route, envelope, ref);
      await route.method(frame);
      frame.answer({}); // does nothing if the gateway method has answered
    } catch (error) {
      outcome = toSocketErrorCode(error);
      // A frame is answered once, so a failure after the answer is only logged.
      if (frame?.isAnswered) this.logFailure(error);
      else this.refuse(state, error, ref);
    } finally {
      this.metrics.recordFrame(eventLabel, outcome, performance.now() - receivedAt);
    }
  }

  /** Routes are collected at the first frame, when all modules have been initialised. */
  private findRoute(event: unknown): Route {
    this.routes ??= buildRoutes(collectGatewayMethods(this.application));
    const route = typeof event === 'string' ? this.routes.get(event) : undefined;
    if (!route) throw new DomainError('unknown_event');
    return route;
  }

  /**
   * Takes a token of the user's frame rate.
   * @throws DomainError rate_limited. After `FLOODING_AFTER_REFUSALS` refusals in a row, also closes the socket.
   */
  private requireFrameRate(state: SocketState): void {
    const waitMs = state.userLimiter.take(performance.now());
    if (waitMs === 0) {
      state.consecutiveRefusals = 0;
      return;
    }
    state.consecutiveRefusals += 1;
    if (state.consecutiveRefusals >= FLOODING_AFTER_REFUSALS) state.connection.close(closeCodes.flooding);
    throw new DomainError('rate_limited', { retryAfterMs: waitMs });
  }

  /** Answers a frame with an error. Closes the socket of a client that has sent too many invalid frames. */
  private refuse(state: SocketState, error: unknown, ref: string | undefined): void {
    const code = toSocketErrorCode(error);
    if (code === 'internal') this.logFailure(error);
    const details: DomainErrorDetails = error instanceof DomainError ? error : {};
    const { retryAfterMs, publicMessage } = details;
    const message = publicMessage ?? errorMessages[code];
    state.connection.send(JSON.stringify({ event: 'error', data: { code, message, retryAfterMs }, ref }));
    if (invalidFrameCodes.has(code)) this.countInvalidFrame(state);
  }

  private countInvalidFrame(state: SocketState): void {
    state.invalidFrameCount += 1;
    if (state.invalidFrameCount >= limits.invalidFramesBeforeClose)
      state.connection.close(closeCodes.policyViolation);
  }

  private logFailure(error: unknown): void {
    this.log.error(
      error instanceof Error
        ? (error.stack ?? error.message)
        : 'A gateway threw a value that is not an error',
    );
  }
}

/** Builds the refusal of an upgrade. @param retryAfterMs sent as the header Retry-After, if given. */
const createUpgradeRefusal = (code: HttpErrorCode, retryAfterMs?: number): UpgradeRefusal => {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
  };
  if (retryAfterMs !== undefined) headers['Retry-After'] = String(Math.ceil(retryAfterMs / 1_000)); // in seconds
  const status = httpErrorStatus[code];
  return [status, toErrorBody(status, code), headers];
};

/** A parsed frame: an object whose content is not validated yet. */
type Envelope = Record<string, unknown>;

/** Checks the envelope without a schema, to save time: this runs for every frame. @throws DomainError invalid_json */
const parseEnvelope = (text: string): Envelope => {
  let value: unknown;
  try {
    value = parseUntrustedJson(text);
  } catch {
    throw new DomainError('invalid_json');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DomainError('invalid_json');
  return value as Envelope;
};

/** Returns the frame's ref; undefined if the ref is missing or invalid. */
const readRef = ({ ref }: Envelope): string | undefined =>
  typeof ref === 'string' && isWireId(ref) ? ref : undefined;

/**
 * Checks that the socket may send the event, and validates the data with the schema of the event.
 * @throws DomainError not_authenticated or invalid_payload.
 */
const toInboundFrame = (
  { connection }: SocketState,
  { event, schema }: Route,
  { data = {} }: Envelope,
  ref: string | undefined,
): InboundFrame => {
  if (!connection.isAuthenticated && event !== 'authenticate') throw new DomainError('not_authenticated');
  const parsed = safeParse(schema, data);
  if (!parsed.success) throw new DomainError('invalid_payload');
  return new InboundFrame(connection, event, parsed.data, ref);
};

/** Compiles an object schema with zod's JIT, which parses in a third less time than zod/mini's interpreter. */
const compileSchema = <T>(schema: $ZodType<T>): $ZodType<T> =>
  schema instanceof $ZodObject ? (new $ZodObjectJIT(schema._zod.def) as unknown as $ZodType<T>) : schema;

const buildRoutes = (methods: ReadonlyMap<string, GatewayMethod>): ReadonlyMap<string, Route> => {
  const routes = new Map<string, Route>();
  for (const [event, method] of methods)
    if (isClientEvent(event))
      routes.set(event, {
        event,
        schema: compileSchema<ClientData<ClientEvent>>(clientFrames[event]),
        method,
      });
  return routes;
};

const toSocketErrorCode = (error: unknown): SocketErrorCode => {
  if (!(error instanceof DomainError)) return isStoreFailure(error) ? 'unavailable' : 'internal';
  // A code that only HTTP responses have is replaced.
  return isSocketErrorCode(error.code) ? error.code : 'forbidden';
};
