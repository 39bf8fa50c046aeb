import { type Friend } from '@thaw/contract/users';
import { Avatar } from '@/ui/avatar';
import { PresenceDot } from '@/ui/presence-dot';

export const Portrait = ({ friend }: { friend: Friend }) => (
  <span className="relative shrink-0">
    <Avatar id={friend.id} name={friend.username} picture={friend.avatar} />
    <PresenceDot isOnline={friend.isOnline} />
  </span>
);
