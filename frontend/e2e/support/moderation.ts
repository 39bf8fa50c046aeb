import { type APIRequestContext, type BrowserContext, type Page } from '@playwright/test';
import { type CaseItem, type ModerationCase } from '@thaw/contract/moderation';
import { type FileReport } from '@thaw/contract/safety';
import { type SelfUser } from '@thaw/contract/users';
import { requestModerator } from './products.ts';
import { expect, type Person, storeUser, test } from './test.ts';

/** A moderator who acts through the HTTP API. A case collects all reports about one user for a decision. */
export class ModeratorByHttp {
  constructor(private readonly request: APIRequestContext) {}

  /** Finds the open case about a user. @throws if there is none */
  async findCase({ user }: Person): Promise<CaseItem> {
    const response = await this.request.get('/api/moderation/cases?state=open');
    expect(response.status(), 'queue').toBe(200);
    const { cases } = (await response.json()) as { cases: CaseItem[] };
    const found = cases.find(({ userId }) => userId === user.id);
    if (!found) throw new Error(`${user.username} has no open case`);
    return found;
  }

  async readCase(caseId: number): Promise<ModerationCase> {
    const response = await this.request.get(`/api/moderation/cases/${caseId}`);
    expect(response.status(), 'case').toBe(200);
    return (await response.json()) as ModerationCase;
  }

  /** Decides the open case about a user. `decision`: the body of the request, without `version`. */
  async decide(person: Person, decision: Record<string, unknown>): Promise<void> {
    const { id, version } = await this.findCase(person);
    const response = await this.request.post(`/api/moderation/cases/${id}/decision`, {
      // The server refuses a decision on an older version of the case.
      data: { version, ...decision },
    });
    expect(response.status(), 'decision').toBe(200);
  }

  /** Decides an appeal by a user against a decision, which opens their case again. `decision`: as for `decide`. */
  async decideAppeal(person: Person, appealId: number, decision: Record<string, unknown>): Promise<void> {
    const { version } = await this.findCase(person);
    const response = await this.request.put(`/api/moderation/appeals/${appealId}`, {
      data: { version, ...decision },
    });
    expect(response.status(), 'decision of an appeal').toBe(200);
  }
}

/**
 * Signs in the n-th moderator of this Playwright worker's product (see products.ts), counted from 1. All tests of the
 * worker share the moderators. `request` keeps the session cookie.
 */
const requestLogin = async (request: APIRequestContext, number: number): Promise<SelfUser> => {
  const account = await requestModerator(test.info().parallelIndex, number);
  const response = await request.post('/api/login', { data: account });
  expect(response.ok(), 'login of a moderator').toBe(true);
  return ((await response.json()) as { user: SelfUser }).user;
};

/** Signs in the n-th moderator, to act over HTTP. */
export const signInModerator = async (request: APIRequestContext, number = 1): Promise<ModeratorByHttp> => {
  await requestLogin(request, number);
  return new ModeratorByHttp(request);
};

/** Opens /moderation as the n-th moderator. */
export const openModeration = async (context: BrowserContext, number = 1): Promise<Page> => {
  const moderator = await requestLogin(context.request, number);
  await storeUser(context, moderator);
  const page = await context.newPage();
  await page.goto('/moderation');
  return page;
};

/** Reports a user over HTTP. The report is about the private chat of the two, unless it has a session or history id. */
export const reportByHttp = async (
  reporter: Person,
  target: Person,
  report: Omit<FileReport, 'reporterId' | 'targetId'>,
): Promise<void> => {
  const response = await reporter.page.request.post('/api/reports', {
    data: { reporterId: reporter.user.id, targetId: target.user.id, ...report },
  });
  expect(response.status(), 'report').toBe(201);
};
