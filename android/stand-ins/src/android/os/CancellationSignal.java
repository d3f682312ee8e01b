package android.os;

public final class CancellationSignal {
    private boolean canceled;
    private OnCancelListener listener;

    public CancellationSignal() {}

    public void cancel() {
        OnCancelListener told;
        synchronized (this) {
            if (canceled) {
                return;
            }
            canceled = true;
            told = listener;
        }
        if (told != null) {
            told.onCancel();
        }
    }

    public synchronized boolean isCanceled() {
        return canceled;
    }

    public synchronized void setOnCancelListener(OnCancelListener listener) {
        this.listener = listener;
    }

    public interface OnCancelListener {
        void onCancel();
    }
}
