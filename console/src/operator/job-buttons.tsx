import type { ProcessingJob } from '@cloche/contract/processing-job';
import { useState } from 'react';
import { operatorTexts } from '../i18n/en/operator.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { useToast } from '../ui/toasts.tsx';
import { useChangeJob } from './use-jobs.ts';

/** `onChange` is called when the job leaves its list. */
type JobButtonProps = { job: ProcessingJob; onChange: () => void };

/** Queues a failed job again. */
export function RetryJobButton({ job, onChange }: JobButtonProps) {
  const { jobs: t } = operatorTexts;
  const retry = useChangeJob('retry');
  const showToast = useToast();
  // The list may no longer have the job, and this button, when the request ends: `mutate` would not call back.
  const run = async () => {
    try {
      await retry.mutateAsync(job);
    } catch {
      return;
    }
    onChange();
    showToast(t.retried(job.design.name));
  };
  return (
    <>
      <Button pending={retry.isPending} aria-label={t.retryOf(job.design.name)} onClick={run}>
        {t.retry}
      </Button>
      {retry.error && <ErrorMessage error={retry.error} />}
    </>
  );
}

/** Cancels a job that is waiting or running, after a question. */
export function CancelJobButton({ job, onChange }: JobButtonProps) {
  const { jobs: t } = operatorTexts;
  const [isOpen, setOpen] = useState(false);
  const cancel = useChangeJob('cancel');
  const showToast = useToast();
  const { design, owner, purpose } = job;
  const run = async () => {
    await cancel.mutateAsync(job);
    onChange();
    showToast(t.cancelled(design.name));
  };
  return (
    <>
      <Button variant="danger" aria-label={t.cancelOf(design.name)} onClick={() => setOpen(true)}>
        {t.cancel}
      </Button>
      <ConfirmDialog
        title={t.cancelTitle}
        confirm={t.cancel}
        open={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={run}
      >
        <p>
          {purpose === 'poster'
            ? t.cancelPoster(design.name)
            : t.cancelText(design.name, owner.name)}
        </p>
      </ConfirmDialog>
    </>
  );
}
