import { Injectable } from '@nestjs/common';
import { formerJobNames, type JobData, type JobName, jobNames } from './job-name.registry';

type Handler<Name extends JobName> = (data: JobData[Name]) => Promise<void>;

/** The handlers of this worker, by job name. */
@Injectable()
export class JobHandlerRegistry {
  private readonly handlers = new Map<JobName, Handler<JobName>>();

  /** @throws Error when the job has a handler already. */
  register<Name extends JobName>(name: Name, handler: Handler<Name>): void {
    if (this.handlers.has(name)) throw new Error(`Job ${name} has two handlers`);
    this.handlers.set(name, handler as Handler<JobName>);
  }

  /** @throws Error when a job has no handler. */
  assertComplete(): void {
    const missing = jobNames.filter((name) => !this.handlers.has(name));
    if (missing.length > 0) throw new Error(`No handler for ${missing.join(', ')}`);
  }

  /**
   * Runs a job. Does nothing for an obsolete job of an earlier release.
   * @throws Error when the job has no handler; whatever the handler throws.
   */
  async run(name: string, data: unknown): Promise<void> {
    const handler = this.handlers.get(name as JobName);
    if (!handler && formerJobNames.some((formerName) => formerName === name)) return;
    if (!handler) throw new Error(`No handler for ${name}`);
    await handler(data as JobData[JobName]);
  }
}
