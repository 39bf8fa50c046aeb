import { type DynamicModule, Global, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { HealthChecks } from '../health/health-checks';
import { GracefulStop } from '../lifecycle/graceful-stop';
import { Metrics } from '../observability/metrics';
import { ChannelHub } from './channel-hub';
import { LoginRechecker } from './login-rechecker';
import { ReplicaLease } from './replica-lease';
import { SocketAdmission } from './socket-admission';
import { SocketCaretaker } from './socket-caretaker';
import { SocketRegistry } from './socket-registry';
import { UserChannels } from './user-channels';

/** Sockets of this replica, and the channels that connect it with the others. */
@Global()
@Module({})
export class RealtimeModule implements OnModuleInit {
  constructor(
    private readonly health: HealthChecks,
    private readonly gracefulStop: GracefulStop,
    private readonly metrics: Metrics,
    private readonly channels: ChannelHub,
    private readonly lease: ReplicaLease,
    private readonly registry: SocketRegistry,
    private readonly caretaker: SocketCaretaker,
  ) {}

  /** @param identities the module that exports SOCKET_IDENTITY_PORT. */
  static forRoot({ identities }: { identities: Type }): DynamicModule {
    const shared = [ChannelHub, ReplicaLease, SocketRegistry, UserChannels];
    return {
      module: RealtimeModule,
      imports: [identities],
      providers: [...shared, LoginRechecker, SocketAdmission, SocketCaretaker],
      exports: shared,
    };
  }

  onModuleInit(): void {
    this.health.register('subscriber', async () => this.channels.isHearing);
    this.gracefulStop.register('sockets', 'sockets', () => this.caretaker.closeAll());
    this.gracefulStop.register('leases', 'lease', () => this.lease.release());
    this.metrics.gauge('thaw_sockets', 'Open sockets', () => this.registry.size);
  }
}
