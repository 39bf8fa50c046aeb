import { type Friend } from '@thaw/contract/users';
import { copy } from '@/product/copy';
import { Avatar } from '@/ui/avatar';
import { PresenceDot, type PresenceDotProps } from '@/ui/presence-dot';

export const describePresence = ({ isOnline }: Pick<Friend, 'isOnline'>): string =>
  isOnline ? copy.presence.online : copy.presence.offline;

export interface PortraitProps extends Pick<PresenceDotProps, 'ground'> {
  friend: Friend;
}

/** A friend's picture with a presence dot. Decorative: name and presence are shown next to it as text. */
export const Portrait = ({ friend, ground }: PortraitProps) => (
  <span className="relative shrink-0">
    <Avatar id={friend.id} name={friend.username} picture={friend.avatar} />
    <PresenceDot isOnline={friend.isOnline} ground={ground} />
  </span>
);
