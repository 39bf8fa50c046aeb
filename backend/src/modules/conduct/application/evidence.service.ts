import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { listImageUrls, parseImageMarkers } from '@thaw/contract/image-markers';
import type { Evidence, EvidenceMessage } from '@thaw/contract/moderation';
import type { MessageType } from '@thaw/contract/scalars';
import { parseUploadUrl } from '@thaw/contract/uploads';
import { DataSource } from 'typeorm';
import { PrivateTranscriptService } from '../../private-chat/application/private-transcript.service';
import { ChatTranscriptService } from '../../random-chat/application/chat-transcript.service';
import { HeldImagesService, type ImageSize } from '../../uploads/application/held-images.service';
import { UserLookupService } from '../../users/application/user-lookup.service';

/** The newest messages that evidence contains, beside the marked ones. */
const NEWEST_MESSAGES = 30;

/** An image of the evidence. `key`, its key in the storage, never leaves the server. */
export type SealedImage = EvidenceMessage['images'][number] & { key: string };

/** Evidence as it is stored. */
export type SealedEvidence = Omit<Evidence, 'messages'> & {
  messages: (Omit<EvidenceMessage, 'images'> & { images: SealedImage[] })[];
};

export interface TakenEvidence {
  /** The text to store: JSON of `SealedEvidence`. */
  json: string;
  /** SHA-256 of `json`, in hex. */
  hash: string;
  imageKeys: string[];
  /** When the newest message was sent; null without messages. */
  lastMessageAt: Date | null;
}

/** Message ids as clients send them: strings of a random chat, numbers of a private chat. */
type MarkedIds = readonly (string | number)[];

interface Message {
  id: string | number;
  senderId: number;
  at: Date;
  messageType: MessageType;
  contents: readonly string[];
}

interface Conversation {
  source: Evidence['source'];
  sessionId: string | null;
  people: Evidence['people'];
  messages: readonly Message[];
  omitted: number;
}

/** Copies messages as evidence. What clients say about messages is never evidence. */
@Injectable()
export class EvidenceService {
  constructor(
    private readonly chats: ChatTranscriptService,
    private readonly privateChats: PrivateTranscriptService,
    private readonly images: HeldImagesService,
    private readonly users: UserLookupService,
    private readonly dataSource: DataSource,
  ) {}

  /** @param marked ids of messages, or the newest message. */
  async takeFromRandomChat(
    sessionId: string,
    userIds: readonly number[],
    marked: MarkedIds | 'newest' = [],
  ): Promise<TakenEvidence> {
    const { participants, messages, omitted } = await this.chats.read(sessionId, {
      newestCount: NEWEST_MESSAGES,
      messageIds: marked === 'newest' ? [] : marked.filter((id) => typeof id === 'string'),
    });
    const markedIds = marked === 'newest' ? messages.slice(-1).map(({ id }) => id) : marked;
    const people =
      participants.length > 0
        ? participants.map(({ id, username }) => ({ id, username }))
        : await this.findPeople(userIds);
    return this.seal({ source: 'random_chat', sessionId, people, messages, omitted }, markedIds);
  }

  async takeFromPrivateChat(
    userId: number,
    otherId: number,
    markedIds: MarkedIds = [],
  ): Promise<TakenEvidence> {
    const { messages, omitted } = await this.privateChats.read(userId, otherId, {
      newestCount: NEWEST_MESSAGES,
      messageIds: markedIds.filter((id) => typeof id === 'number'),
    });
    const people = await this.findPeople([userId, otherId]);
    return this.seal({ source: 'private_chat', sessionId: null, people, messages, omitted }, markedIds);
  }

  private async findPeople(userIds: readonly number[]): Promise<Evidence['people']> {
    const users = await this.users.findNames(userIds);
    return users.sort((one, other) => one.id - other.id);
  }

  private async seal(conversation: Conversation, markedIds: MarkedIds): Promise<TakenEvidence> {
    const { source, sessionId, people, messages, omitted } = conversation;
    const images = await this.findImages(messages);
    const marked = new Set(markedIds);
    const evidence: SealedEvidence = {
      source,
      sessionId,
      people,
      messages: messages.map((message) => ({
        id: message.id,
        senderId: message.senderId,
        at: message.at.toISOString(),
        type: message.messageType,
        versions: listTexts(message),
        isMarked: marked.has(message.id),
        images: listImages(message, images),
      })),
      omitted,
    };
    const json = JSON.stringify(evidence);
    const imageKeys = evidence.messages.flatMap((message) => message.images.map(({ key }) => key));
    return {
      json,
      hash: createHash('sha256').update(json).digest('hex'),
      imageKeys: [...new Set(imageKeys)],
      lastMessageAt: messages.at(-1)?.at ?? null,
    };
  }

  /** The images that the messages show, by key, each with a new number. */
  private async findImages(messages: readonly Message[]): Promise<ReadonlyMap<string, NumberedImage>> {
    const keys = [...new Set(messages.flatMap(listImageKeys))];
    if (keys.length === 0) return new Map();
    const [sizes, numbers] = await Promise.all([
      this.images.describe(keys),
      this.dataSource.query<{ id: string }[]>(
        `SELECT nextval('conduct_ids') AS id FROM generate_series(1, $1::int)`,
        [keys.length],
      ),
    ]);
    return new Map(sizes.map((size, index) => [size.key, { ...size, imageId: Number(numbers[index]?.id) }]));
  }
}

type NumberedImage = ImageSize & { imageId: number };

/** Only images of the sender's own: a message does not show others. */
const listImages = (message: Message, images: ReadonlyMap<string, NumberedImage>): SealedImage[] =>
  listImageKeys(message).flatMap((key) => {
    const image = images.get(key);
    if (image?.ownerId !== message.senderId) return [];
    const { imageId, width, height } = image;
    return [{ imageId, width, height, key }];
  });

const listImageKeys = ({ messageType, contents }: Message): string[] => {
  const urls = contents.flatMap((content) => listImageUrls(messageType, content));
  return [...new Set(urls.flatMap((url) => parseUploadUrl(url)?.key ?? []))];
};

/** The texts of all versions, without those that consist of images alone. */
const listTexts = ({ messageType, contents }: Message): string[] => {
  switch (messageType) {
    case 'text':
      return [...contents];
    case 'image':
      return [];
    case 'mixed':
      return contents.map((content) => parseImageMarkers(content).text).filter((text) => text !== '');
    default:
      return messageType satisfies never;
  }
};
