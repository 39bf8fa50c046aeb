import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { listImageUrls, parseImageMarkers } from '@thaw/contract/image-markers';
import type { Evidence, EvidenceMessage } from '@thaw/contract/moderation';
import type { MessageType } from '@thaw/contract/scalars';
import { parseUploadUrl } from '@thaw/contract/uploads';
import { DataSource } from 'typeorm';
import { PrivateTranscriptService } from '../../private-chat/application/private-transcript.service';
import { ChatTranscriptService } from '../../random-chat/application/chat-transcript.service';
import { HeldImagesService, type ImageDescription } from '../../uploads/application/held-images.service';
import { UserLookupService } from '../../users/application/user-lookup.service';

/** Evidence contains this many of the newest messages, and all marked ones. */
const NEWEST_MESSAGE_COUNT = 30;

/** An image of the evidence, with its key in the file storage, which is not sent to clients. */
export type StoredEvidenceImage = EvidenceMessage['images'][number] & { key: string };

/** Evidence as it is stored in the event of a report or a finding. */
export type StoredEvidence = Omit<Evidence, 'messages'> & {
  messages: (Omit<EvidenceMessage, 'images'> & { images: StoredEvidenceImage[] })[];
};

export interface EvidenceCopy {
  /** JSON of `StoredEvidence`. */
  json: string;
  /** SHA-256 of `json`, in hex. */
  hash: string;
  /** Keys of the images in the file storage. */
  imageKeys: string[];
  /** When the newest message was sent; null without messages. */
  lastMessageAt: Date | null;
}

/** Ids of messages that are the reason of a report or a finding: strings in a random chat, numbers in a private one. */
type MarkedIds = readonly (string | number)[];

interface Message {
  id: string | number;
  senderId: number;
  at: Date;
  messageType: MessageType;
  /** The content of each version, oldest first. */
  contents: readonly string[];
}

interface Conversation {
  source: Evidence['source'];
  sessionId: string | null;
  people: Evidence['people'];
  messages: readonly Message[];
  /** Number of messages that are not among `messages`. */
  omitted: number;
}

/** An image with the id by which moderators request it. */
type NumberedImage = ImageDescription & { imageId: number };

/**
 * Copies stored messages of a chat as evidence of a case. A report refers to messages only by their ids, so a reporter
 * cannot forge their texts.
 */
@Injectable()
export class EvidenceService {
  constructor(
    private readonly chats: ChatTranscriptService,
    private readonly privateChats: PrivateTranscriptService,
    private readonly images: HeldImagesService,
    private readonly users: UserLookupService,
    private readonly dataSource: DataSource,
  ) {}

  /**
   * @param userIds the users of the chat
   * @param marked ids of the messages to mark, or 'newest' for the newest message. Ids of other chats are ignored
   */
  async copyRandomChat(
    sessionId: string,
    userIds: readonly number[],
    marked: MarkedIds | 'newest' = [],
  ): Promise<EvidenceCopy> {
    const givenIds: MarkedIds = marked === 'newest' ? [] : marked;
    const { participants, messages, omitted } = await this.chats.read(sessionId, {
      newestCount: NEWEST_MESSAGE_COUNT,
      messageIds: givenIds.filter((id) => typeof id === 'string'),
    });
    const markedIds = marked === 'newest' ? messages.slice(-1).map(({ id }) => id) : givenIds;
    // There are no participants once the names shown in the chat have expired.
    const people =
      participants.length > 0
        ? participants.map(({ id, username }) => ({ id, username }))
        : await this.findPeople(userIds);
    return this.createCopy({ source: 'random_chat', sessionId, people, messages, omitted }, markedIds);
  }

  /** @param markedIds ids of the messages to mark. Ids of other chats are ignored */
  async copyPrivateChat(userId: number, otherId: number, markedIds: MarkedIds = []): Promise<EvidenceCopy> {
    const { messages, omitted } = await this.privateChats.read(userId, otherId, {
      newestCount: NEWEST_MESSAGE_COUNT,
      messageIds: markedIds.filter((id) => typeof id === 'number'),
    });
    const people = await this.findPeople([userId, otherId]);
    return this.createCopy({ source: 'private_chat', sessionId: null, people, messages, omitted }, markedIds);
  }

  private async findPeople(userIds: readonly number[]): Promise<Evidence['people']> {
    const users = await this.users.findNames(userIds);
    return users.sort((one, other) => one.id - other.id);
  }

  private async createCopy(conversation: Conversation, markedIds: MarkedIds): Promise<EvidenceCopy> {
    const images = await this.findImages(conversation.messages);
    const evidence = toStoredEvidence(conversation, new Set(markedIds), images);
    const json = JSON.stringify(evidence);
    const imageKeys = evidence.messages.flatMap((message) => message.images.map(({ key }) => key));
    return {
      json,
      hash: createHash('sha256').update(json).digest('hex'),
      imageKeys: [...new Set(imageKeys)],
      lastMessageAt: conversation.messages.at(-1)?.at ?? null,
    };
  }

  /** The stored images of the messages, by key, each with a new id. */
  private async findImages(messages: readonly Message[]): Promise<ReadonlyMap<string, NumberedImage>> {
    const keys = [...new Set(messages.flatMap(listImageKeys))];
    if (keys.length === 0) return new Map();
    const [descriptions, idRows] = await Promise.all([
      this.images.findDescriptions(keys),
      this.dataSource.query<{ id: string }[]>(
        `SELECT nextval('conduct_ids') AS id FROM generate_series(1, $1::int)`,
        [keys.length],
      ),
    ]);
    // Unknown keys have no description, so some ids may remain unused.
    return new Map(
      descriptions.map((description, index) => [
        description.key,
        { ...description, imageId: Number(idRows[index]?.id) },
      ]),
    );
  }
}

const toStoredEvidence = (
  { source, sessionId, people, messages, omitted }: Conversation,
  markedIds: ReadonlySet<string | number>,
  images: ReadonlyMap<string, NumberedImage>,
): StoredEvidence => ({
  source,
  sessionId,
  people,
  messages: messages.map((message) => ({
    id: message.id,
    senderId: message.senderId,
    at: message.at.toISOString(),
    type: message.messageType,
    versions: listTexts(message),
    isMarked: markedIds.has(message.id),
    images: listImages(message, images),
  })),
  omitted,
});

/** The images of a message, except any that its sender did not upload; such a message should have been refused. */
const listImages = (message: Message, images: ReadonlyMap<string, NumberedImage>): StoredEvidenceImage[] =>
  listImageKeys(message).flatMap((key) => {
    const image = images.get(key);
    if (image?.ownerId !== message.senderId) return [];
    const { imageId, width, height } = image;
    return [{ imageId, width, height, key }];
  });

const listImageKeys = ({ messageType, contents }: Message): string[] => {
  const urls = contents.flatMap((content) => listImageUrls(messageType, content));
  const keys = urls.map((url) => parseUploadUrl(url)?.key).filter((key) => key !== undefined);
  return [...new Set(keys)];
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
