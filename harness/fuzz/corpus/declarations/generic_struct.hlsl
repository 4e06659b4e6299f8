struct Pair<U> { U a; U b; };
Pair<Texture2D> p;
Pair<SamplerState> q;
