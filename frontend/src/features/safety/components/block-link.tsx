import { copy } from '@/features/safety/copy';
import { askToBlock, type Person } from '@/features/safety/stores/block-dialog.store';
import { Button } from '@/ui/button';

/** The quiet link below the actions of an ended chat. */
export const BlockLink = ({ person }: { person: Person }) => (
  <Button
    variant="ghost"
    size="sm"
    aria-haspopup="dialog"
    className="text-muted-foreground"
    onClick={() => askToBlock(person)}
  >
    {copy.block.link}
  </Button>
);
