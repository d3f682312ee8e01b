package android.app;

import android.content.ContextWrapper;
import android.os.Bundle;
import android.view.View;

public class Activity extends ContextWrapper {
    public Activity() {
        super(null);
    }

    /** Null where no test has views. */
    public <T extends View> T findViewById(int id) {
        return null;
    }

    public final Application getApplication() {
        return (Application) getApplicationContext();
    }

    public boolean isFinishing() {
        return false;
    }

    public boolean isChangingConfigurations() {
        return false;
    }

    protected void onCreate(Bundle savedInstanceState) {}

    protected void onDestroy() {}

    public void setContentView(int layoutResID) {}
}
