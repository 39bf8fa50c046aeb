import { TypingDots } from '@/chat-ui/typing/typing-dots';

export const WaitingNotice = ({ text }: { text: string }) => (
  <p className="flex items-center justify-center gap-2 text-sm text-muted-foreground">
    <TypingDots className="text-ice" />
    {text}
  </p>
);
