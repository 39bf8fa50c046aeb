export const WaitingNotice = ({ text }: { text: string }) => (
  <p className="flex items-center justify-center gap-2 text-sm text-muted-foreground">
    <span aria-hidden="true" className="typing-dots text-ice">
      <i />
      <i />
      <i />
    </span>
    {text}
  </p>
);
