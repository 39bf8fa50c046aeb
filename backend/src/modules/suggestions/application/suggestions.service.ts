import { Inject, Injectable, Logger } from '@nestjs/common';
import type { RequestSuggestions, Suggestions, SuggestionSource } from '@thaw/contract/suggestions';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { DomainError } from '../../../platform/errors/domain.errors';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import { OptionalServerLimiter } from '../../../platform/optional-servers/optional-server.limiter';
import { FriendshipLookupService } from '../../friends/application/friendship-lookup.service';
import { PrivateTranscriptService } from '../../private-chat/application/private-transcript.service';
import { ChatTranscriptService } from '../../random-chat/application/chat-transcript.service';
import { PastChatService } from '../../random-chat/application/past-chat.service';
import { UsersService } from '../../users/application/users.service';
import { SuggestionModelClient } from '../infrastructure/suggestion-model.client';
import { parseSuggestions } from './suggestion-answer.parser';
import { type Conversation, createPrompt } from './suggestion-prompt.functions';

/** Maximum number of messages that are read: the newest of the chat. */
const MAX_MESSAGES = 30;

/**
 * `unusable`: no line of the answer may be shown. `skipped`: the model was not asked, because it has failed repeatedly
 * or too many requests are in progress.
 */
type Outcome = 'answered' | 'unusable' | 'failed' | 'skipped';

const noSuggestions: Suggestions = { source: 'none', suggestions: [] };

/**
 * Asks a language model for suggestions, if the operator has configured one. `createPrompt` decides what it receives.
 * Neither prompts nor answers are logged or stored.
 */
@Injectable()
export class SuggestionsService {
  private readonly model: SuggestionModelClient | null;
  private readonly limiter = new OptionalServerLimiter(
    'The language model',
    new Logger(SuggestionsService.name),
  );
  private readonly outcomes: Record<Outcome, number> = { answered: 0, unusable: 0, failed: 0, skipped: 0 };

  constructor(
    private readonly pastChats: PastChatService,
    private readonly randomChats: ChatTranscriptService,
    private readonly privateChats: PrivateTranscriptService,
    private readonly friendships: FriendshipLookupService,
    private readonly users: UsersService,
    metrics: MetricsRegistry,
    @Inject(ENVIRONMENT)
    environment: Pick<
      Environment,
      'SUGGESTIONS_URL' | 'SUGGESTIONS_MODEL' | 'SUGGESTIONS_API_KEY' | 'SUGGESTIONS_TIMEOUT_MS'
    >,
  ) {
    const { SUGGESTIONS_URL: url, SUGGESTIONS_MODEL: model = '' } = environment;
    this.model = url
      ? new SuggestionModelClient({
          url,
          model,
          apiKey: environment.SUGGESTIONS_API_KEY,
          timeoutMs: environment.SUGGESTIONS_TIMEOUT_MS,
        })
      : null;
    metrics.addLiveLabelledCounter(
      'thaw_suggestion_requests_total',
      'Requests for suggestions of the language model, by outcome',
      () => Object.entries(this.outcomes).map(([outcome, count]) => [{ outcome }, count] as const),
    );
  }

  get source(): SuggestionSource {
    return { model: this.model !== null, host: this.model?.host ?? null };
  }

  /**
   * @throws DomainError not_found if there is no model, or if `sessionId` is no open chat of the user; not_friends if
   * `friendId` is no friend of the user
   */
  async suggest({ userId, sessionId, friendId }: Omit<RequestSuggestions, 'consent'>): Promise<Suggestions> {
    if (!this.model) throw new DomainError('not_found');
    // A valid request has exactly one of the two ids; 0 satisfies the compiler.
    const conversation =
      sessionId === undefined
        ? await this.readPrivateChat(userId, friendId ?? 0)
        : await this.readRandomChat(userId, sessionId);
    const { outcome, suggestions } = await this.ask(this.model, userId, conversation);
    this.outcomes[outcome] += 1;
    return suggestions.length === 0 ? noSuggestions : { source: 'model', suggestions };
  }

  private async readRandomChat(userId: number, sessionId: string): Promise<Conversation> {
    // Despite its name, `PastChatService` also finds open chats.
    const chat = await this.pastChats.find(sessionId);
    if (!chat?.userIds.includes(userId) || chat.endedAt !== null) throw new DomainError('not_found');
    const { messages, participants } = await this.randomChats.read(sessionId, {
      newestCount: MAX_MESSAGES,
      messageIds: [],
    });
    return {
      messages: messages.map(withNewestContent),
      usernames: participants.map(({ username }) => username),
    };
  }

  private async readPrivateChat(userId: number, friendId: number): Promise<Conversation> {
    if (!(await this.friendships.areFriends(userId, friendId))) throw new DomainError('not_friends');
    const [{ messages }, profiles] = await Promise.all([
      this.privateChats.read(userId, friendId, { newestCount: MAX_MESSAGES, messageIds: [] }),
      this.users.findProfiles([userId, friendId]),
    ]);
    return { messages: messages.map(withNewestContent), usernames: profiles.map(({ username }) => username) };
  }

  private async ask(
    model: SuggestionModelClient,
    userId: number,
    conversation: Conversation,
  ): Promise<{ outcome: Outcome; suggestions: string[] }> {
    const prompt = createPrompt(userId, conversation);
    const completion = await this.limiter.ask(() => model.complete(prompt));
    if (completion.outcome !== 'answered') return { outcome: completion.outcome, suggestions: [] };
    const suggestions = parseSuggestions(completion.answer);
    return { outcome: suggestions.length === 0 ? 'unusable' : 'answered', suggestions };
  }
}

/** `contents` ends with the newest edit. It is empty if the message was deleted or has expired. */
const withNewestContent = <Message extends { contents: readonly string[] }>(message: Message) => ({
  ...message,
  content: message.contents.at(-1),
});
