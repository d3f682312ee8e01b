package android.security.keystore;

public class BackendBusyException extends java.security.ProviderException {
    private static final long serialVersionUID = 1;

    public BackendBusyException(long backOffHintMillis) {
        super("The keystore backend has no operation slots available. Retry later.");
    }
}
