import { type ReactNode } from 'react';
import { copy } from '@/features/landing/copy';
import { Button, buttonClass } from '@/ui/button';
import { Link } from '@/ui/link';

export interface EntryActionsProps {
  isStarting: boolean;
  onJoinAnonymously: () => void;
  /** The terms that a visitor accepts with any of the three buttons. */
  consent: ReactNode;
}

/** The three ways to enter: anonymously, register, login. */
export const EntryActions = ({ isStarting, onJoinAnonymously, consent }: EntryActionsProps) => (
  <div>
    <div className="flex flex-wrap gap-3">
      <Button
        size="lg"
        className="max-sm:w-full"
        disabled={isStarting}
        // public/theme.js shows this label if the button is pressed before the scripts are loaded.
        data-pending={copy.actions.starting}
        onClick={onJoinAnonymously}
      >
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
    <div className="mt-4">{consent}</div>
  </div>
);
