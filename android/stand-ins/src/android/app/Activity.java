package android.app;

import android.content.ContextWrapper;

public class Activity extends ContextWrapper {
    public Activity() {
        super(null);
    }

    public boolean isChangingConfigurations() {
        return false;
    }
}
