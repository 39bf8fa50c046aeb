import { copy } from '@/features/landing/copy';
import { type OpenChat } from '@/product/open-chat';
import { buttonClass } from '@/ui/button';
import { Link } from '@/ui/link';

/** Reminds the user of a waiting partner. Overlays the page's lower edge, so that nothing shifts when it appears. */
export const ChatReminder = ({ chat }: { chat: OpenChat }) => (
  <aside className="enter-rise fixed inset-x-0 bottom-0 z-floating flex justify-center p-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
    <div className="flex w-full max-w-xl flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-card bg-popover px-4 py-3 shadow-elevated">
      <p role="status" aria-label={copy.reminder.label} className="min-w-0 flex-1 basis-48 text-base">
        <bdi className="block truncate font-semibold">{chat.partnerName}</bdi>
        <span className="text-muted-foreground">
          {chat.unread > 0 ? copy.reminder.unread(chat.unread) : copy.reminder.waiting}
        </span>
      </p>
      <Link to="/chat" className={buttonClass({})}>
        {copy.reminder.back}
      </Link>
    </div>
  </aside>
);
