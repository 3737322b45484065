// tessera.darray: arrays and expressions whose element type and rank are known at run time only, with ways to the static ones. It
// imports algorithm.
export module tessera.darray;

export import :alternative;
export import :dlayout;
export import :handle;
export import :nodes;
export import :access;
export import :visit_results;
export import :visit;
export import :dfunctions;
export import :daxes;
export import :dreductions;
export import :make_darray;
export import :drows;
export import :dviews;
export import :djoining;
export import :dsorting;
export import :dscans;
export import :dselect;
export import :dproducts;
export import :dnormalise;
export import :drandom;
export import :dsearch;
export import :dcounts;
export import :dstatistics;
export import :ddifferences;
