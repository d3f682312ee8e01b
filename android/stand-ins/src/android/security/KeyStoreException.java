package android.security;

import com.thumbturn.fake.FakeAndroid;

public class KeyStoreException extends Exception {
    private static final long serialVersionUID = 1;

    private final int code;
    private final boolean isTransient;

    KeyStoreException(int code, boolean isTransient) {
        this.code = code;
        this.isTransient = isTransient;
    }

    public int getNumericErrorCode() {
        FakeAndroid.since(33);
        return code;
    }

    public boolean isTransientFailure() {
        FakeAndroid.since(33);
        return isTransient;
    }
}
