import type { ReactNode } from 'react';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { Modal } from '../ui/modal.tsx';
import { useToast } from '../ui/toasts.tsx';
import { BulkReport } from './bulk-report.tsx';
import { useBulk } from './use-bulk.ts';
import type { SelectedDesign, Selection } from './use-selection.ts';

type BulkDialogProps = {
  /** Of a number of designs: those that are selected or, after the start, those that the action is for. */
  title: (count: number) => string;
  /** What will happen, or what to enter. */
  children: ReactNode;
  /** The text of the button that starts. */
  confirm: string;
  isDanger?: boolean;
  selection: Selection;
  /** How many designs at the same time. */
  parallel: number;
  /** Returns what to do with each design. Undefined: something must be entered first. */
  getAction: () => ((design: SelectedDesign) => Promise<void>) | undefined;
  onClose: () => void;
};

/** Asks, applies an action to the selected designs, and says what failed. */
export function BulkDialog({
  title,
  children,
  confirm,
  isDanger = false,
  selection,
  parallel,
  getAction,
  onClose,
}: BulkDialogProps) {
  const { state, start } = useBulk(selection);
  const toast = useToast();
  const count = state.name === 'ready' ? selection.selected.size : state.total;
  const run = async () => {
    const action = getAction();
    if (action === undefined) return;
    const { doneIds, failures, rest } = await start({ run: action, parallel });
    if (failures.length + rest.length > 0) return;
    toast(texts.designs.bulkDone(doneIds.length));
    onClose();
  };
  const close = () => {
    if (state.name === 'running') state.stop();
    else onClose();
  };
  return (
    <Modal title={title(count)} open onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (state.name !== 'running') void run();
        }}
      >
        {state.name === 'ready' ? children : <BulkReport state={state} />}
        <div className="actions end">
          <Button onClick={close}>
            {state.name === 'running'
              ? texts.designs.stop
              : state.name === 'ended'
                ? texts.common.close
                : texts.common.cancel}
          </Button>
          {state.name !== 'running' && (
            <Button type="submit" variant={isDanger ? 'danger' : 'primary'}>
              {state.name === 'ended' ? texts.designs.tryFailedAgain : confirm}
            </Button>
          )}
        </div>
      </form>
    </Modal>
  );
}
