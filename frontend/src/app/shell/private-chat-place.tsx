import { type Friend } from '@thaw/contract/users';
import { shell } from '@/app/shell/shell-store';

/** Over the chat area alone: top bar and sidebar stay in reach (A68). */
export const PrivateChatPlace = ({ friend }: { friend: Friend }) => (
  <div className="absolute inset-0 z-20 flex bg-background md:p-4 md:pt-0">
    <button type="button" onClick={shell.closeFriend}>
      {friend.username}
    </button>
  </div>
);
