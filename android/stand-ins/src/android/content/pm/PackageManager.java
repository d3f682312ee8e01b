package android.content.pm;

public abstract class PackageManager {
    public static final String FEATURE_FACE = "android.hardware.biometrics.face";
    public static final String FEATURE_FINGERPRINT = "android.hardware.fingerprint";
    public static final String FEATURE_IRIS = "android.hardware.biometrics.iris";

    public PackageManager() {}

    public abstract boolean hasSystemFeature(String featureName);
}
