import { Link } from 'react-router-dom';
import { copy } from '@/features/landing/copy';
import { Button, buttonClass } from '@/ui/button';

export interface ActionsProps {
  isStarting: boolean;
  onJoinAnonymously: () => void;
}

/** The three ways in. */
export const Actions = ({ isStarting, onJoinAnonymously }: ActionsProps) => (
  <div>
    <div className="flex flex-wrap gap-3">
      <Button size="lg" className="max-sm:w-full" disabled={isStarting} onClick={onJoinAnonymously}>
        {isStarting ? copy.actions.starting : copy.actions.join}
      </Button>
      <Link
        to="/auth?register=true"
        className={buttonClass({ variant: 'outline', size: 'lg' }, 'max-sm:flex-1')}
      >
        {copy.actions.register}
      </Link>
      <Link to="/auth" className={buttonClass({ variant: 'ghost', size: 'lg' }, 'max-sm:flex-1')}>
        {copy.actions.login}
      </Link>
    </div>
    <p className="mt-4 text-sm text-muted-foreground">{copy.adults}</p>
  </div>
);
