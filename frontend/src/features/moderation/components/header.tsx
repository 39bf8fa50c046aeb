import { formatQuery, views, type View } from '@/features/moderation/address';
import { copy } from '@/features/moderation/copy';
import { LogoMark } from '@/product/logo';
import { Button } from '@/ui/button';
import { Link } from '@/ui/link';

export interface HeaderProps {
  view: View;
  /** The result of the last action. It is not a toast, which would cover the case and would have to be closed. */
  announcement: string;
  onHelp: () => void;
}

const linkClass = '-mb-px inline-flex h-12 items-center border-b-2 px-1 text-base font-semibold';
const currentLinkClass = `${linkClass} border-primary`;
const otherLinkClass = `${linkClass} border-transparent text-muted-foreground hover:text-foreground`;

/** The header of the moderation page: a link back to the chat, links to the page's views, and the help button. */
export const Header = ({ view, announcement, onHelp }: HeaderProps) => (
  <header className="flex items-center gap-x-4 border-b border-border px-3 max-sm:flex-wrap">
    <Link to="/chat" aria-label={copy.backToChat} className="grid size-11 place-items-center rounded-control">
      <LogoMark />
    </Link>
    <h1 className="text-md font-bold max-sm:sr-only">{copy.title}</h1>
    <nav aria-label={copy.viewsLabel} className="flex gap-3 max-sm:order-last max-sm:basis-full">
      {views.map((linkedView) => (
        <Link
          key={linkedView}
          to={`/moderation${formatQuery({ view: linkedView, filter: 'open', caseId: undefined })}`}
          aria-current={linkedView === view ? 'page' : undefined}
          className={linkedView === view ? currentLinkClass : otherLinkClass}
        >
          {copy.views[linkedView]}
        </Link>
      ))}
    </nav>
    <p role="status" className="min-w-0 flex-1 truncate text-right text-sm text-muted-foreground">
      {announcement}
    </p>
    <Button
      variant="ghost"
      size="icon"
      aria-label={copy.help}
      aria-haspopup="dialog"
      aria-keyshortcuts="?"
      onClick={onHelp}
    >
      <span aria-hidden="true" className="text-lg font-bold">
        ?
      </span>
    </Button>
  </header>
);
