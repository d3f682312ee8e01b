package android.view;

import android.content.Context;

public class View {
    public static final int GONE = 8;
    public static final int VISIBLE = 0;

    private int visibility = VISIBLE;

    public View(Context context) {}

    public int getVisibility() {
        return visibility;
    }

    public void setOnClickListener(OnClickListener listener) {}

    public void setVisibility(int visibility) {
        this.visibility = visibility;
    }

    public interface OnClickListener {
        void onClick(View view);
    }
}
