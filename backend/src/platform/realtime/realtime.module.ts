import { type DynamicModule, Global, Inject, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { HealthCheckRegistry } from '../health/health-check.registry';
import { GracefulShutdownService } from '../lifecycle/graceful-shutdown.service';
import { MetricsRegistry } from '../observability/metrics.registry';
import { getMaxFailoverMs } from '../redis/redis-connection.factory';
import { FrameMetricsRegistry } from './frame-metrics.registry';
import { LoginRecheckService } from './login-recheck.service';
import { RedisSubscriberService } from './redis-subscriber.service';
import { ReplicaLeaseService } from './replica-lease.service';
import { SocketAdmissionService } from './socket-admission.service';
import { SocketSupervisorService } from './socket-supervisor.service';
import { SocketRegistry } from './socket.registry';
import { UserChannelService } from './user-channel.service';
import { UserPublisherModule } from './user-publisher.module';

/** The sockets of this replica, and the pub/sub channels through which replicas send each other messages. */
@Global()
@Module({})
export class RealtimeModule implements OnModuleInit {
  constructor(
    private readonly health: HealthCheckRegistry,
    private readonly gracefulShutdown: GracefulShutdownService,
    private readonly metrics: MetricsRegistry,
    private readonly subscriber: RedisSubscriberService,
    private readonly lease: ReplicaLeaseService,
    private readonly registry: SocketRegistry,
    private readonly supervisor: SocketSupervisorService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** @param identities the module that exports SOCKET_IDENTITY_PORT. */
  static forRoot({ identities }: { identities: Type }): DynamicModule {
    const exportedProviders = [RedisSubscriberService, ReplicaLeaseService, SocketRegistry];
    return {
      module: RealtimeModule,
      imports: [identities, UserPublisherModule],
      providers: [
        ...exportedProviders,
        FrameMetricsRegistry,
        LoginRecheckService,
        SocketAdmissionService,
        SocketSupervisorService,
        UserChannelService,
      ],
      exports: [...exportedProviders, UserPublisherModule],
    };
  }

  onModuleInit(): void {
    this.health.register('subscriber', async () => this.subscriber.isReceiving, {
      // A failover of Redis ends all subscriptions; the replica stays ready meanwhile.
      mayFailForMs: getMaxFailoverMs(this.environment),
    });
    // The phase and the name of each step. The lease shows other replicas that this one is alive.
    this.gracefulShutdown.register('sockets', 'sockets', () => this.supervisor.closeAll());
    this.gracefulShutdown.register('leases', 'lease', () => this.lease.release());
    this.metrics.addLiveCounter(
      'thaw_lease_lapses_total',
      'Leases of this replica that expired while it was running',
      () => this.lease.lapseCount,
    );
    this.metrics.addLiveCounter(
      'thaw_subscriber_rebuilds_total',
      'Times that the subscriber has restored lost subscriptions',
      () => this.subscriber.restoreCount,
    );
    this.metrics.addLiveGauge('thaw_sockets', 'Open sockets', () => this.registry.size);
  }
}
