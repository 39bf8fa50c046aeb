import { copy } from '@/features/legal/consent/copy';
import { Link } from '@/ui/link';

const linkClass = 'underline underline-offset-4 hover:text-foreground';

/** The notice below every form that signs a visitor in (docs/product-decisions.md, A174). */
export const Consent = () => (
  <p className="flex flex-wrap gap-x-3 gap-y-1 text-sm text-muted-foreground">
    <span>{copy.adults}</span>
    <Link to="/terms" className={linkClass}>
      {copy.terms}
    </Link>
    <Link to="/privacy" className={linkClass}>
      {copy.privacy}
    </Link>
    <Link to="/rules" className={linkClass}>
      {copy.rules}
    </Link>
  </p>
);
